/** Words that only Feishu's page says. */

export const EN = {
  replyTopic: "Reply in topic",
  replies: "{n} replies",
  oneReply: "1 reply",
  inTopic: "In topic",
  newTopic: "Start a new topic",
  topicGroup: "Topic group",
  unsupported: "This part ({tag}) is not drawn here",
  timeout: "The bot did not answer in time (code 200341)",
  gone: "This card no longer reacts (code 404)",
  emptyText: "Ask anything. The answer grows on one card while it is being written.",
  try1: "What can you do?",
  try2: "Scan this project",
  try3: "Show a table and some code",
};

export const ZH = {
  replyTopic: "回复话题",
  replies: "{n} 条回复",
  oneReply: "1 条回复",
  inTopic: "话题中",
  newTopic: "发起新话题",
  topicGroup: "话题群",
  unsupported: "此处不支持显示该组件（{tag}）",
  timeout: "机器人未及时响应（错误码 200341）",
  gone: "该卡片已失效（错误码 404）",
  emptyText: "随便问点什么，回答会在同一张卡片上逐步生成。",
  try1: "你能做什么？",
  try2: "扫描一下这个项目",
  try3: "给我看一个表格和一段代码",
};
