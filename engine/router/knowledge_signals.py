"""What speaks for an answer at once: what things mean, how they are done, which is better, what comes out."""

from __future__ import annotations

from engine.router.signal import Signal, en_order, zh_order

KNOWLEDGE = (
    Signal(
        "question",
        "direct",
        2,
        zh=r"\?|吗$|呢$|什么|哪|谁|几|多少|多(?:大|高|长|远|久|重|快|少)|为什么|为啥|是否|有没有|能不能|"
        r"是不是|会不会|怎么样|怎样|该不该|吗[,。!]",
        en=r"\?|^(?:what|why|who|whose|when|where|which|how|is|are|do|does|did|can|should|could|would|will|"
        r"was|were)\b",
    ),
    Signal(
        "asks_for_a_meaning",
        "direct",
        4,
        zh=r"^(?!.*(?:这|那|当前|我|公司|今天|现在|目前|最新|你))[^,。]{2,10}是(?:什么|啥)\??$|什么是|"
        r"什么意思|啥意思|的意思|是指|何谓|定义(?!了|在)|概念|含义|区别|差别|差异|有(?:什么|何|啥)不同|"
        r"原理|机制|优缺点|好处|坏处|利弊|优势|有(?:什么|啥|何)用|干(?:嘛|什么|啥)用|做什么用|作用|历史|"
        r"由来|起源|为什么叫|如何理解|怎么理解|是怎么(?:回事|工作|运作)|是做什么的|是干什么的|过程$|特性|"
        r"特点|特征|原则|要素|种类|关系|影响|规则|常识|分别是什么|通俗",
        en=r"\bwhat(?:'s| is| are) (?:an? |[a-z0-9\ue001 ]{1,30}(?:used for|about|mean)\b|"
        r"the (?:difference|meaning|purpose|point|idea|definition|origin|history|capital|formula|best|"
        r"main|rule|plural|opposite|theory|concept|(?:\w+ )?(?:theorem|law|principle|protocol|pattern)|"
        r"law|principle|paradox|effect|algorithm|pattern)\b)|\bmean(?:s|ing)?\b|\bdifferences? between|"
        r"\bpros and cons\b|\bthe (?:plot|moral|gist|theme|argument) of\b|\badvantages?\b|"
        r"\bdefin(?:e|ition)\b|\bhow do(?:es)? (?:an? |the )?[a-z0-9 \ue001-]{1,40} work\b|"
        r"\btell me about\b|\bhistory of\b|\bstand for\b",
    ),
    Signal(
        "explains",
        "direct",
        4,
        zh=zh_order(r"(?:给.{1,8})?(?:解释|讲解|讲讲|讲一讲|说说|说明|介绍|科普|谈谈|聊聊|简述|概述|告诉我什么)")
        + r"|讲给.{1,8}听|解释给",
        en=en_order(r"explain|describe|define|teach me|walk me through|outline how") + r"|\bexplain\b",
    ),
    Signal(
        "asks_how",
        "direct",
        6,
        zh=r"(?:怎么|如何|怎样|咋)(?!了|样|的|回事|还|没|不|又|会|突然|老是|总是|这么|规定|变)|"
        r"(?:哪些|什么|的)步骤|步骤(?:是|有)|教程|办法|方法|技巧|怎么办|攻略|什么命令|哪个命令|命令是什么|"
        r"应该(?:怎么|如何|准备|注意)|入门|学习路线",
        en=r"\bhow (?:do|can|could|would|should|might) (?:i|we|you|one|people)\b|\bhow to\b|"
        r"\bbest (?:way|practice)s?\b|\bsteps? (?:to|for)\b|\btutorial\b|"
        r"\b(?:what|which) (?:\w+ )?(?:command|tool|flag|option|function|method) \w+|\bgood way to\b|"
        r"\btips (?:for|on)\b|\bany advice\b|\bwhere should i start\b",
    ),
    Signal(
        "weighs",
        "direct",
        4,
        zh=r"哪个(?:更)?(?:好|快|强|合适|值得)|该(?:选|用)|怎么选|选哪|推荐|值得.{0,6}吗|你觉得|怎么看|"
        r"有什么建议|给.{0,3}建议|好不好|适合.{0,8}吗|要不要|该不该|合适吗|可以.{1,10}吗|能.{1,8}吗|更好",
        en=r"\bwhat (?:should|can|would) (?:i|we|you) (?!see|find|run)|"
        r"\bwhich (?:one |\w+ )?is (?:better|best|faster|easier)\b|\bshould (?:i|we)\b|\bbetter\b|"
        r"\bvs\.?\b|\bversus\b|\b(?:recommend(?:ation)?s?|suggest)\b|\bwhat do you think\b|\bworth\b|"
        r"\bgood (?:choice|book|movie|gift|name|idea|agenda)s?\b|"
        r"\bis it (?:ok|okay|safe|good|bad|normal|possible)\b|\bideas? for\b|\bwhat's a good\b|"
        r"\bcan (?:dogs|cats|people|humans|you|i|we|babies) (?!please|check|run|find|see|send|look|open|"
        r"show|list|tell)\w+|\bis \w+ (?:\w+er|more \w+|as \w+ as) (?:than|as)?\b",
    ),
    Signal(
        "in_general",
        "direct",
        3,
        zh=r"一般|通常|默认|来得及|难吗|难不难|谁更|穿什么|哪些阶段|需要会|范围是",
        en=r"\b(?:in general|generally|usually|typically|by default|considered)\b|"
        r"^(?:what|which|how|can|could|do|does|is|will|why) (?!there)(?:[a-z]+ ){0,4}(?:an?|people|humans|"
        r"ai|someone) [a-z]",
    ),
    Signal(
        "lists_or_compares",
        "direct",
        2,
        zh=zh_order(r"列出|列举|比较|对比|盘点"),
        en=en_order(r"list|compare|name|contrast|rank"),
    ),
    Signal(
        "wants_an_example",
        "direct",
        3,
        zh=r"举.{0,4}例|例子|示例|范例",
        en=r"\bexamples?\b|\bfor instance\b|\bsample\b",
    ),
    Signal(
        "calculates",
        "direct",
        6,
        zh=r"\d\s*[-+*x×÷/^%]\s*\d.*(?:=|多少|几)|等于(?:多少|几)|(?:除以|乘以|乘|加上|减去|加|减)\s*\d|"
        r"计算\s*[\d(]|平方根|立方|\d+%?\s*的\s*\d+|(?:换算|折合|等于多少)|"
        r"\d\s*(?:英里|公里|英尺|厘米|斤|磅|华氏度|摄氏度).{0,8}(?:多少|几)|各(?:有)?几|"
        r"\d+ ?(?:分钟|小时|天|秒|分).{0,4}(?:多少|几)|税率|阶乘|\d ?折|"
        r"\d ?(?:公斤|千克|克|斤|米|升|毫升|吨|寸|海里)是|内角和|概率(?:是|为)|求(?:解|导|和)",
        en=r"(?:^|\s)[\d(.]+\s*[-+*x×÷/^%]\s*[\d(.]+[\d\s+*x×÷/^%().-]*(?:=|\?|$)|"
        r"\b\d[\d.,]*%? (?:percent )?of \d|\b(?:square root|plus|minus|times|divided by|"
        r"multiplied by)\b.*\d|\bconvert \d|\bhow many \w+ (?:are )?(?:there )?in (?:a|an|one)\b|"
        r"\b\d+ (?:miles|km|pounds|kg|feet|inches|celsius|fahrenheit)\b.*\b(?:in|to)\b|\bcalculate\b.*\d|"
        r"\bsolve\b.*[=x]",
    ),
    Signal(
        "common_knowledge",
        "direct",
        3,
        zh=r"^(?!.*(?:这|当前|我|公司|今天|现在|目前|最新))[^,。]{1,14}是(?:什么|谁|怎样的)\??$|"
        r"(?:哪一年|哪年|什么时候)(?:结束|开始|爆发|成立|建成|发明|出生|去世|建立|发生)|"
        r"一(?:年|天|周|打|月|小时)(?:有)?(?:多少|几)|到底.{0,4}什么|"
        r"(?:中国|世界|地球|太阳|月亮|月球|历史|古代|唐|宋|明朝|清朝|朝代|皇帝|诗人|作者|代表作|首都|省会|"
        r"行政区|沸点|熔点|光速|密度|面积是|人口是|字节|行星|大洲|海洋|山峰|珠穆朗玛|长江|黄河|"
        r"大学).{0,12}(?:什么|哪|谁|几|多)|(?:什么|哪|几|多少)(?:个)?.{0,4}(?:朝代|行星|大洲|省|国家|首都|"
        r"皇帝)|有多(?:高|深|远|重)|哪些(?:著名|常见|经典|主要)|"
        r"的(?:首都|沸点|作者|代表作|时间复杂度|阶乘)|到.{1,6}多远|(?:方式|方法|类型|模式)有(?:哪|几)|"
        r"为什么(?:能|会|要)|有什么不一样|适合(?:什么|哪)|什么时候(?:用|适合|应该)|吃什么|"
        r"去哪(?:里|儿)?(?:玩|吃|旅游)|划算|比较(?:好|合适|健康)|要注意|还是.{1,12}\?",
        en=r"^where (?:is|are) (?!.*\b(?:defined|used|called|set|stored)\b)(?!the |my |our |this |it\b|"
        r"that\b)[a-z]+(?: [a-z]+)?\?*$|^how does [a-z]+ \w+|"
        r"^who (?:was|were|wrote|painted|invented|discovered|composed|directed|founded|built) |"
        r"^who is [a-z]+ [a-z]+\?*$|^when (?:was|did|were) (?!the (?:last|build|server|backup|deploy)|we|"
        r"our|my)|^what year\b|^how (?:far|tall|deep|old|long|high|fast|heavy) (?:is|are|was|does|"
        r"do) (?!this|our|my|it)|^how many .{1,30} (?:are|is) there(?! in (?:the|this|our|my))|"
        r"^what(?:'s| is| are) (?!.*\b(?:my|our|the|this|here|we|i)\b)(?!the |this |our |my |your |it\b|"
        r"that\b|next |new\b|up\b)[a-z0-9-]+(?: [a-z0-9-]+){0,4}\?*$|"
        r"^what (?:does|do|causes|happens|makes) (?!the |this |our |my |it |your )|^what language\b|"
        r"^which (?:planet|country|animal|city|element|language|is (?:the )?\w+)|^why (?:use|is the s\w+)|"
        r"^(?:is|are|do|does|can) (?!i |we |you |it |the |this |our |my )(?:an? )?[a-z]+ (?:an? |better|"
        r"need|have|eat|feel|sleep)|^should an? |(?:point|complexity|speed|distance|population|height) of|"
        r"\bpercentage\b|\bto the power of\b|^what(?:'s| is) .{1,30} (?:in|as) (?:a |an )?(?:percentage|"
        r"celsius|fahrenheit)",
    ),
    Signal(
        "general_cause",
        "direct",
        2,
        zh=r"^(?:请问)?(?:为什么|为何|为啥)(?!.*(?:了\?*$|失败|挂|报警))",
        en=r"^why (?:do|does|is|are|can't|don't) (?!the |our |my |this |it |your )|"
        r"^why (?:did the (?:roman|titanic|dinosaur))\b",
    ),
)
