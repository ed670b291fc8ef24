"""What speaks for an answer at once: greetings, feelings, talk about the bot, and what goes on from its last answer."""

from __future__ import annotations

from engine.router.signal import Signal

TALK = (
    Signal(
        "greets",
        "direct",
        9,
        zh=r"^.{0,6}(?:愉快|快乐)[!~。\s]*$|^(?:你好|您好|大家好|各位好|明天见|哈喽|嗨|早上好|早安|早|上午好|"
        r"中午好|下午好|晚上好|晚安|在吗|在不在|在么|谢谢|多谢|感谢|谢啦|辛苦|好的?|行|嗯+|可以|明白|"
        r"知道了|了解|收到|没事|没问题|不用了?|算了|再见|拜拜|回头见|哈+|牛|赞|太棒|真棒|厉害|不错|对不起|"
        r"抱歉|周末愉快|新年快乐|生日快乐|节日快乐)(?:了|啦|呀|啊|哦|喔|吧|呢|吗|的|您|你|大家|各位|们|好|"
        r"谢谢|非常|感谢|辛苦|明白|知道|收到|再见|明天见|就这样|没有?别的|[,。!?~、\s])*$",
        en=r"^(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|morning|thanks?|thank you|thx|ty|"
        r"ok|okay|k|cool|great|nice|perfect|awesome|got it|understood|sure|fine|alright|no problem|"
        r"never ?mind|bye|goodbye|see you|lol|haha+|wow|yes|yep|no|nope|sorry|well done|good job|"
        r"you're welcome|happy \w+|congrat\w*|appreciate(?: it)?|much appreciated|cheers|take care|"
        r"are you there|how was your day|how are you|how's it going|"
        r"what's up)\b(?:[ ,.!?~]*(?:there|all|everyone|team|bot|niuma|again|so|very|much|a lot|you|for|"
        r"your|the|help|that(?:'s)?|is|was|all|it|to|for|today|now|good|great|perfect|funny|nice|doing|"
        r"thanks?|bye|later|tomorrow|morning|everything|works?|done|and|sounds)\b)*[ ,.!?~:)(]*$",
    ),
    Signal(
        "greets_first",
        "direct",
        2,
        zh=r"^(?:你好|您好|哈喽|嗨|早上好|下午好|晚上好|谢谢|好的)",
        en=r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay)\b",
    ),
    Signal(
        "asks_about_the_bot",
        "direct",
        7,
        zh=r"你(?:是谁|叫什么|是什么模型|是什么|(?:都|还)?(?:会|能|可以)(?:做|干|帮我做?)?(?:些)?(?:什么|啥)|"
        r"有(?:什么|哪些)(?:功能|能力|本事)|是(?:真)?人|是机器人)|怎么(?:用|使用)你|自我介绍|"
        r"你(?:会|支持|今年|喜欢|懂|几岁|认识|知道你).{0,12}(?:吗|什么|哪|几|谁|\?)|介绍一下你",
        en=r"\b(?:who are you|what(?:'s| is) your name|what can you do|what (?:are|do) you(?: able)?\b|"
        r"are you (?:a|an) (?:bot|human|ai|robot)|how (?:do|can) i use you|"
        r"do you (?:speak|support|like|have feelings|sleep|dream)|languages do you|introduce yourself|"
        r"which model are you|who made you)",
    ),
    Signal(
        "feels",
        "direct",
        8,
        zh=r"心情|过得怎么样|(?:陪|跟|和)我(?:聊|说)|聊聊天|好(?:累|烦|无聊|难过|开心)|"
        r"(?:有点|很|太)(?:累|烦|难过|焦虑|紧张|郁闷)|安慰|鼓励我|夸夸|"
        r"(?:玩|来)(?:一|几)?(?:个|局|把)?.{0,4}(?:游戏|接龙|谜|猜)|成语接龙|猜.{0,4}谜",
        en=r"\b(?:i(?:'m| am| feel)(?: so| very| really| a bit)? (?:sad|tired|bored|happy|stressed|anxious|"
        r"lonely|nervous|down|excited)|cheer me up|how are you|let's play|play a game|talk to me|"
        r"chat with me|motivate me)\b",
    ),
    Signal(
        "goes_on",
        "direct",
        4,
        zh=r"^(?:请|麻烦|能不能|能|可以|你)*(?:更.{1,5}[点些]|继续|接着(?:说|讲)|"
        r"再(?:说|讲|来|短|长|详细|具体|简单|简短|通俗|正式|口语|写|想|解释|举|换|给)|换(?:个|一种|一个)|"
        r"(?:换|改|翻|译)成(?:英文|中文|英语|日文)|"
        r"(?:更|再)?(?:详细|简短|短|简单|具体|正式|通俗)(?:一?点|一?些)|说(?:得|的)?(?:详细|简单|具体)|"
        r"展开|举.{0,3}例|重(?:新)?(?:说|写)|那(?:第|如果|要是)|还有(?:吗|呢|别的)|为什么[呢?]*$|什么意思|"
        r"太长|太短|不对|你确定|真的吗|没(?:看|听)懂|那如果|(?:能|可以)?用(?:表格|列表)|缩短|"
        r"用(?:英文|中文|英语|日语|一句话))|(?:刚才|前面|上面|上一(?:条|个)|之前)(?:你)?(?:的)?(?:说|讲|"
        r"提到|写|答|回答|回复|解释|那段)|第.个?(?:点|条|步)",
        en=r"\b(?:say (?:that|it) again|(?:make|keep) (?:it|that|this) (?:\w+ )?(?:\w+er|formal|short|brief|"
        r"simple|polite|friendly|concise|casual|funny)|shorter|longer|"
        r"more (?:detail|formal|concise|examples?|casual)\w*|rephrase|"
        r"your (?:\w+ )?(?:answer|reply|explanation|response)|"
        r"(?:your|the) (?:last|previous|first|second|third) (?:point|answer|reply|message|sentence|"
        r"paragraph|example|one)|elaborate|expand on|go on|keep going|tell me more|"
        r"another (?:example|one|way|version)|in other words|simpler|tone|try (?:again|a|an|another)|"
        r"(?:short|long|brief)\w* version|are you sure|really\?|too long|what do you mean|"
        r"in (?:english|chinese|one sentence) please|as a list)\b|^(?:please |ok |yes )?continue\b|"
        r"\b(?:put|show|give) (?:it|that|this) (?:to me )?(?:in|as) (?:an? )?(?:table|list|bullet)|"
        r"^why\?*$|^and in \w+\?*$|^what about\b|^more\b|\bdo the same\b",
    ),
)
