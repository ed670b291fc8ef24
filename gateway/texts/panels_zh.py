"""What a card says around tool calls, plans and questions, in Chinese. Same keys and placeholders as `panels_en`."""

from __future__ import annotations

TEXTS = {
    "panel.todos": "计划：已完成 {done}/{total}",
    "panel.read_file": "读取 {subject}",
    "panel.edit_file": "编辑 {subject}",
    "panel.write_file": "写入 {subject}",
    "panel.create_file": "新建 {subject}",
    "panel.delete_file": "删除 {subject}",
    "panel.bash": "命令 {subject}",
    "panel.search": "搜索 {subject}",
    "panel.outputs": "产出文件：{count}",
    "panel.lines": "第 {first}-{last} 行",
    "panel.results": "{count} 条结果",
    "panel.exit_code": "退出码 {code}",
    "panel.part": "@@ 第 {number}/{count} 处 @@",
    "panel.part_everywhere": "@@ 第 {number}/{count} 处，文件中每个相同位置 @@",
    "panel.no_line_end": "\\ 末尾没有换行",
    "panel.call_cut": "[此调用还有 {chars} 个字符没有显示；需要看到全部时，请拒绝。]",
    "label.cut": "[省略 {chars} 个字符]",
    "notice.criteria_not_met": "还缺：{missing}",
    "error.permission_denied": "规则不允许这样做。",
    "error.denied": "没有执行：已被拒绝。",
    "error.approval_expired": "没有执行：无人及时答复。",
    "error.approval_void": "没有执行：询问之后内容被改动。",
    "error.approvals_full": "没有执行：等待答复的问题已经太多。",
    "error.stopped": "已停止。",
    "error.held_back": "没有执行：计划中的另一步没有成功。",
}
