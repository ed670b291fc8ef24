"""What speaks for an answer at once: talk, knowledge, how things are done, texts to write or to change."""

from __future__ import annotations

from engine.router.signal import Signal, en_order, zh_order

TALK = (
    Signal(
        "greets",
        "direct",
        9,
        zh=r"^(?:你好|您好|哈喽|嗨|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|在吗|在不在|在么|谢谢|多谢|感谢|谢啦|辛苦|"
        r"好的?|行|嗯+|可以|明白|知道了|了解|收到|没事|没问题|不用了?|算了|再见|拜拜|回头见|哈+|牛|赞|太棒|真棒|厉害|不错|"
        r"对不起|抱歉|周末愉快|新年快乐|生日快乐|节日快乐)"
        r"(?:了|啦|呀|啊|哦|喔|吧|呢|吗|的|您|你|大家|各位|们|好|谢谢|辛苦|明白|知道|收到|再见|就这样|没有?别的|[,。!?~、\s])*$",
        en=r"^(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|morning|thanks?|thank you|thx|ty|ok|okay|"
        r"k|cool|great|nice|perfect|awesome|got it|understood|sure|fine|alright|no problem|never ?mind|bye|goodbye|"
        r"see you|lol|haha+|wow|yes|yep|no|nope|sorry|well done|good job|you're welcome|happy \w+|congrat\w*|appreciate(?: it)?|much appreciated|are you there|how was your day|"
        r"how are you|how's it going|what's up)\b(?:[ ,.!?~]*(?:there|all|everyone|team|bot|niuma|again|so|very|"
        r"much|a lot|you|for|your|the|help|that(?:'s)?|is|was|all|it|to|for|today|now|good|great|perfect|funny|nice|"
        r"doing|thanks?|bye|later|tomorrow|morning|everything|works?|done|and|sounds)\b)*[ ,.!?~:)(]*$",
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
        zh=r"你(?:是谁|叫什么|是什么模型|是什么|(?:都|还)?(?:会|能|可以)(?:做|干|帮我做?)?(?:些)?(?:什么|啥)|有(?:什么|哪些)(?:功能|能力|本事)|"
        r"是(?:真)?人|是机器人)|怎么(?:用|使用)你|自我介绍|介绍一下你",
        en=r"\b(?:who are you|what(?:'s| is) your name|what can you do|what (?:are|do) you(?: able)?\b|are you (?:a|an) "
        r"(?:bot|human|ai|robot)|how (?:do|can) i use you|introduce yourself|which model are you|who made you)",
    ),
    Signal(
        "feels",
        "direct",
        8,
        zh=r"心情|过得怎么样|陪我(?:聊|说)|聊聊天|好(?:累|烦|无聊|难过|开心)|(?:有点|很|太)(?:累|烦|难过|焦虑|紧张|郁闷)|安慰|鼓励我|夸夸|(?:玩|来)(?:一|几)?(?:个|局|把)?.{0,4}(?:游戏|接龙|谜|猜)|成语接龙|猜谜",
        en=r"\b(?:i(?:'m| am| feel)(?: so| very| really| a bit)? (?:sad|tired|bored|happy|stressed|anxious|lonely|nervous|"
        r"down|excited)|cheer me up|let's play|play a game|talk to me|chat with me|motivate me)\b",
    ),
    Signal(
        "goes_on",
        "direct",
        4,
        zh=r"^(?:请|麻烦|能不能|能|可以|你)*(?:继续|接着(?:说|讲)|再(?:说|讲|来|短|长|详细|具体|简单|简短|通俗|正式|口语|写|想|解释|举|换|给)|"
        r"换(?:个|一种|一个)|(?:更|再)?(?:详细|简短|短|简单|具体|正式|通俗)(?:一?点|一?些)|说(?:得|的)?(?:详细|简单|具体)|展开|举.{0,3}例|"
        r"重(?:新)?(?:说|写)|那(?:第|如果|要是)|还有(?:吗|呢|别的)|为什么[呢?]*$|什么意思|太长|太短|不对|你确定|真的吗|没(?:看|听)懂|那如果|(?:能|可以)?用(?:表格|列表)|缩短|用(?:英文|中文|英语|日语|一句话))|"
        r"(?:刚才|前面|上面|上一(?:条|个)|之前)(?:你)?(?:的)?(?:说|讲|提到|写|答|回答|回复|解释|那段)|第.个?(?:点|条|步)",
        en=r"\b(?:say (?:that|it) again|(?:make|keep) (?:it|that|this) (?:\w+ )?(?:\w+er|formal|short|brief|simple|polite|"
        r"friendly|concise|casual|funny)|shorter|longer|more (?:detail|formal|concise|examples?|casual)\w*|rephrase|"
        r"(?:your|the) (?:last|previous|first|second|third) (?:point|answer|reply|message|sentence|paragraph|example|one)|"
        r"elaborate|expand on|go on|keep going|tell me more|another (?:example|one|way|version)|in other words|"
        r"simpler|tone|try (?:again|a|an|another)|(?:short|long|brief)\w* version|are you sure|really\?|too long|what do you mean|in (?:english|chinese|one sentence) please|as a list)\b|^(?:please |ok |yes )?continue\b|\b(?:put|show|give) (?:it|that|this) (?:to me )?(?:in|as) (?:an? )?(?:table|list|bullet)|^why\?*$|^and in \w+\?*$|^what about\b|^more\b",
    ),
)

KNOWLEDGE = (
    Signal(
        "question",
        "direct",
        2,
        zh=r"\?|吗$|呢$|什么|哪|谁|几|多少|多(?:大|高|长|远|久|重|快|少)|为什么|为啥|是否|有没有|能不能|是不是|会不会|怎么样|怎样|该不该|吗[,。!]",
        en=r"\?|^(?:what|why|who|whose|when|where|which|how|is|are|do|does|did|can|should|could|would|will|was|were)\b",
    ),
    Signal(
        "asks_for_a_meaning",
        "direct",
        4,
        zh=r"什么是|什么意思|啥意思|的意思|是指|何谓|定义(?!了|在)|概念|含义|区别|差别|差异|有(?:什么|何|啥)不同|原理|机制|优缺点|好处|坏处|利弊|优势|"
        r"有(?:什么|啥|何)用|干(?:嘛|什么|啥)用|做什么用|作用|历史|由来|起源|为什么叫|如何理解|怎么理解|是怎么(?:回事|工作|运作)|是做什么的|是干什么的|过程$|特性|特点|特征|原则|要素|种类|关系|影响|规则|常识|分别是什么|通俗",
        en=r"\bwhat(?:'s| is| are) (?:an? |[a-z0-9\ue001 ]{1,30}(?:used for|about|mean)\b|the (?:difference|meaning|"
        r"purpose|point|idea|definition|origin|history|capital|formula|best|main|rule|plural|opposite|theory|concept)\b)|"
        r"\bmean(?:s|ing)?\b|\bdifferences? between|\bpros and cons\b|\bthe (?:plot|moral|gist|theme|argument) of\b|\badvantages?\b|\bdefin(?:e|ition)\b|"
        r"\bhow do(?:es)? (?:an? |the )?[a-z0-9 \ue001-]{1,40} work\b|\btell me about\b|\bhistory of\b|\bstand for\b",
    ),
    Signal(
        "explains",
        "direct",
        4,
        zh=zh_order(r"(?:给.{1,8})?(?:解释|讲解|讲讲|讲一讲|说说|说明|介绍|科普|谈谈|聊聊|简述|概述|告诉我什么)") + r"|讲给.{1,8}听|解释给",
        en=en_order(r"explain|describe|define|teach me|walk me through|outline how") + r"|\bexplain\b",
    ),
    Signal(
        "asks_how",
        "direct",
        6,
        zh=r"(?:怎么|如何|怎样|咋)(?!了|样|回事|还|没|不|又|会|突然|老是|总是|这么|规定|变)|(?:哪些|什么|的)步骤|步骤(?:是|有)|教程|办法|方法|技巧|怎么办|攻略|"
        r"什么命令|哪个命令|命令是什么|应该(?:怎么|如何|准备|注意)|入门|学习路线",
        en=r"\bhow (?:do|can|could|would|should|might) (?:i|we|you|one|people)\b|\bhow to\b|\bbest (?:way|practice)s?\b|"
        r"\bsteps? (?:to|for)\b|\btutorial\b|\b(?:what|which) (?:\w+ )?(?:command|tool|flag|option|function|method) \w+|\bgood way to\b|\btips (?:for|on)\b|\bany advice\b|\bwhere should i start\b",
    ),
    Signal(
        "weighs",
        "direct",
        4,
        zh=r"哪个(?:更)?(?:好|快|强|合适|值得)|该(?:选|用)|怎么选|选哪|推荐|值得.{0,6}吗|你觉得|怎么看|有什么建议|给.{0,3}建议|好不好|"
        r"适合.{0,8}吗|要不要|该不该|合适吗|可以.{1,10}吗|能.{1,8}吗|更好",
        en=r"\bwhat (?:should|can|would) (?:i|we|you) (?!see|find|run)|\bwhich (?:one |\w+ )?is (?:better|best|faster|easier)\b|\bshould (?:i|we)\b|\bbetter\b|\bvs\.?\b|\bversus\b|"
        r"\b(?:recommend|suggest)\b|\bwhat do you think\b|\bworth\b|\bgood (?:book|movie|gift|name|idea|agenda)s?\b|"
        r"\bis it (?:ok|okay|safe|good|bad|normal|possible)\b|\bideas? for\b|\bwhat's a good\b|"
        r"\bcan (?:dogs|cats|people|humans|you|i|we|babies) (?!please|check|run|find|see|send|look|open|show|list|tell)\w+|"
        r"\bis \w+ (?:\w+er|more \w+|as \w+ as) (?:than|as)?\b",
    ),
    Signal(
        "lists_or_compares",
        "direct",
        2,
        zh=zh_order(r"列出|列举|比较|对比|盘点"),
        en=en_order(r"list|compare|name|contrast|rank"),
    ),
    Signal("wants_an_example", "direct", 3, zh=r"举.{0,4}例|例子|示例|范例", en=r"\bexamples?\b|\bfor instance\b|\bsample\b"),
    Signal(
        "calculates",
        "direct",
        6,
        zh=r"\d\s*[-+*x×÷/^%]\s*\d.*(?:=|多少|几)|等于(?:多少|几)|(?:除以|乘以|乘|加上|减去|加|减)\s*\d|平方根|立方|\d+%?\s*的\s*\d+|"
        r"(?:换算|折合|等于多少)|\d\s*(?:英里|公里|英尺|厘米|斤|磅|华氏度|摄氏度).{0,8}(?:多少|几)|各(?:有)?几|内角和|概率(?:是|为)|求(?:解|导|和)",
        en=r"(?:^|\s)[\d(.]+\s*[-+*x×÷/^%]\s*[\d(.]+[\d\s+*x×÷/^%().-]*(?:=|\?|$)|\b\d[\d.,]*%? (?:percent )?of \d|"
        r"\b(?:square root|plus|minus|times|divided by|multiplied by)\b.*\d|\bconvert \d|"
        r"\bhow many \w+ (?:are )?(?:there )?in (?:a|an|one)\b|\b\d+ (?:miles|km|pounds|kg|feet|inches|celsius|fahrenheit)\b.*\b(?:in|to)\b|"
        r"\bsolve\b.*[=x]",
    ),
    Signal(
        "general_cause",
        "direct",
        2,
        zh=r"^(?:请问)?(?:为什么|为何|为啥)(?!.*(?:了\?*$|失败|挂|报警))",
        en=r"^why (?:do|does|is|are|can't|don't) (?!the |our |my |this |it |your )|^why (?:did the (?:roman|titanic|dinosaur))\b",
    ),
)

WRITING = (
    Signal(
        "writes",
        "direct",
        5,
        zh=zh_order(
            r"写(?!入|到|进|回)(?:一|个|首|封|篇|段|条|份|几|点|两|三|\d|出|句|副|张)|给我(?:一|几|些|个|点)|(?:起|取)(?:一?个|几个|些)?.{0,8}(?:名|代号|标题|昵称|绰号)|"
            r"想(?:一|个|几|些|两|三|\d)|编(?:一|个|段)|讲(?:一|个|段)|拟|草拟|起草|造(?:成)?(?:一?个)?句|作(?:一)?(?:首|诗)|续写|仿写|来(?:一|个|首|段)|"
            r"出(?:一|几|两|三|\d)?(?:道|个)|(?:制定|规划|安排|做)(?:一)?个?.{0,12}(?:计划|行程|食谱|菜单|安排)|生成(?:一)?(?:段|句|首)|设计(?:一)?(?:个|句)?(?:口号|标语|文案)"
        )
        + r"|写(?:一)?(?:首|封|篇|段|句).{0,20}(?:诗|信|邮件|文案|回复|欢迎词|祝福|短信|故事|作文|稿|词)|(?:口号|标语|祝福语|对联|绕口令|谜语|笑话)$|"
        r"一(?:句|段|首|则).{0,6}(?:鼓励|祝福|话|文案|广告语|诗)$|造(?:成)?(?:一?个)?句|起(?:一?个|几个|些)?好?名字|(?:^|给我)[\d一二三四五六七八九十几两]+(?:个|句|条|种|道|首|本).{1,15}(?:名字?|句|例子|方法|点子|建议|理由|成语|诗|笑话|题|书)$|"
        r"回复(?:一下)?(?:客户|他|她|对方|老板|同事|邮件)",
        en=en_order(
            r"(?:write|draft|compose|give me|come up with|invent|make up|suggest|brainstorm|propose|tell me|create|generate|"
            r"think of|list) (?:me |us |down )?(?:an? |some |the |two |three |four |five |ten |\d+ |few )*(?:\w+[ -]){0,4}"
            r"(?:jokes?|poems?|haikus?|emails?|letters?|replies|reply|tweets?|stor(?:y|ies)|names?|titles?|slogans?|taglines?|"
            r"essays?|paragraphs?|sentences?|messages?|songs?|speech|toast|cover|intro(?:duction)?|announcement|"
            r"description|caption|summary|bio|post|riddles?|quiz|quotes?|facts?|ideas?|questions?|reasons?|"
            r"ways|tips|words?|synonyms?|excuses?|templates?|outline|agenda|invitation|apology|note|plan|recipes?|regex|"
            r"snippets?|functions?|quer(?:y|ies)|scripts?|commands?|class|program|examples?|explanation|one-liner|formula|"
            r"comments?|docstrings?|thank|birthday|welcome|resignation|headlines?|benefits|differences|types|kinds|"
            r"countries|cities|books|movies|films|songs|foods|animals)"
        )
        + r"|\b(?:suggest|recommend)\b|" + en_order(
            r"(?:draft|write|compose|word) (?:an?|some)|plan (?:me )?an? .{0,25}(?:trip|week|menu|workout|party|vacation|meals?|day|diet)|"
            r"tell me something|give me (?:an?|some|the)"
        ),
    ),
    Signal(
        "writes_code",
        "direct",
        3,
        zh=zh_order(r"(?:用.{1,12})?(?:写|给|来)(?:一?(?:个|段|条))?.{0,20}(?:函数|正则|脚本|sql|代码|算法|排序|程序|查询|命令)") + r"|用\s*(?:python|js|javascript|java|go|rust|c\+\+|c|ts|typescript|sql|shell|bash|php)\s*(?:来)?(?:写|实现)|正则(?:表达式)?怎么",
        en=r"\b(?:regex|regular expression|one-liner|code snippet|pseudocode|sql query)\b|\b(?:write|implement|code|show me|create)\b.{1,50}\bin (?:go|python|java|javascript|js|typescript|rust|c|ruby|"
        r"sql|bash|php|kotlin|swift)\b",
    ),
    Signal(
        "translates",
        "direct",
        3,
        zh=r"翻译|英译中|中译英|(?:翻|译)(?:成|为)|用(?:英语|英文|日语|法语|中文|韩语|德语)怎么(?:说|写)|英文(?:怎么说|是什么)",
        en=r"\btranslat\w+|\bhow do you say\b|\bin (?:french|german|japanese|chinese|spanish|english|korean|italian)\b",
    ),
    Signal(
        "changes_words",
        "direct",
        3,
        zh=r"润色|改写|改得|改成.{0,6}(?:语气|语态|口吻|风格|句|时态)|扩写|缩写|纠正|纠错|校对|语病|错别字|提炼|归纳|按.{1,8}排序|写得更|更(?:礼貌|正式|简洁|委婉)|"
        r"(?:这|下面|以下|下列)(?:段|句|几句|几个|个|篇|些|条)?\s*(?:话|文字|文本|文案|词|句子|诗|英文|中文|代码|函数|报错|错误|sql|正则|数字|json)",
        en=r"\b(?:fix|check|correct) (?:the |my |this )?(?:grammar|spelling|typos?|punctuation|sentence|english)\b|"
        r"\b(?:rewrite|rephrase|paraphrase|proofread|polish|shorten|simplify|tl;?dr)\b|\bbullet points?\b|"
        r"\b(?:this|these|the following) (?:text|sentences?|paragraph|email|message|words?|code|function|error|snippet|json|names|query|numbers)\b|\b(?:sort|format) th(?:is|ese)\b|"
        r"\bmake (?:this|it) (?:\w+ )?(?:sound|more|less)\b",
    ),
    Signal(
        "sums_up",
        "direct",
        1,
        zh=r"总结|概括|摘要|归纳|提炼|梗概",
        en=r"\bsummar\w+|\btl;?dr\b",
    ),
)

DIRECT = (*TALK, *KNOWLEDGE, *WRITING)
