"""What speaks for an answer at once: a text or some code to write, or words in the message to change."""

from __future__ import annotations

from engine.router.signal import Signal, en_order, zh_order

WRITING = (
    Signal(
        "writes",
        "direct",
        5,
        zh=zh_order(
            r"写(?!入|到|进|回)(?:一|个|首|封|篇|段|条|份|几|点|两|三|\d|出|句|副|张)|给我(?:一|几|些|个|点)|"
            r"给(?:点|些)|给.{1,8}(?:起|取)|(?:起|取)(?:一?个|几个|些)?.{0,8}(?:名|代号|标题|昵称|绰号)|"
            r"想(?:一|个|几|些|两|三|\d)|编(?:一|个|段)|讲(?:一|个|段)|拟|草拟|起草|造(?:成)?(?:一?个)?句|"
            r"作(?:一)?(?:首|诗)|续写|仿写|来(?:一|个|首|段)|出(?:一|几|两|三|\d)?(?:道|个)|"
            r"(?:制定|规划|安排|做)(?:一)?个?.{0,12}(?:计划|行程|食谱|菜单|安排)|生成(?:一)?(?:段|句|首)|"
            r"设计(?:一)?(?:个|句)?(?:口号|标语|文案)"
        )
        + r"|写(?:一)?(?:首|封|篇|段|句).{0,20}(?:诗|信|邮件|文案|回复|欢迎词|祝福|短信|故事|作文|稿|词)|"
        r"(?:口号|标语|祝福语|对联|绕口令|谜语|笑话)$|"
        r"一(?:句|段|首|则).{0,6}(?:鼓励|祝福|话|文案|广告语|诗)$|造(?:成)?(?:一?个)?句|"
        r"起(?:一?个|几个|些)?好?名字|(?:^|给我)[\d一二三四五六七八九十几两]+(?:个|句|条|种|道|首|"
        r"本).{1,15}(?:名字?|句|例子|方法|点子|建议|理由|成语|诗|笑话|题|书)$|"
        r"回复(?:一下)?(?:客户|他|她|对方|老板|同事|邮件)",
        en=en_order(
            r"(?:write|draft|compose|give me|come up with|invent|make up|suggest|brainstorm|propose|tell me|"
            r"create|generate|think of|list) (?:me |us |down )?(?:an? |some |the |two |three |four |five |"
            r"ten |\d+ |few )*(?:\w+[ -]){0,4}(?:jokes?|poems?|haikus?|emails?|letters?|replies|reply|tweets?|"
            r"stor(?:y|ies)|names?|titles?|slogans?|taglines?|essays?|paragraphs?|sentences?|messages?|songs?|"
            r"speech|toast|cover|intro(?:duction)?|announcement|description|caption|summary|bio|post|riddles?|"
            r"quiz|quotes?|facts?|ideas?|questions?|reasons?|ways|tips|words?|synonyms?|excuses?|templates?|"
            r"outline|agenda|invitation|apology|note|plan|recipes?|regex|snippets?|functions?|quer(?:y|ies)|"
            r"scripts?|commands?|class|program|examples?|explanation|one-liner|formula|comments?|docstrings?|"
            r"thank|birthday|welcome|resignation|headlines?|benefits|differences|types|kinds|countries|cities|"
            r"books|movies|films|songs|foods|animals)"
        )
        + r"|\b(?:suggest|recommend)\b|"
        + en_order(
            r"(?:draft|write|compose|word) (?:me )?(?:an?|some|two|three|four|five|ten|\d+)|"
            r"plan (?:me )?an? .{0,25}(?:trip|week|menu|workout|party|vacation|meals?|day|diet)|"
            r"tell me something|give me (?:an?|some|the)"
        ),
    ),
    Signal(
        "writes_code",
        "direct",
        3,
        zh=zh_order(
            r"(?:用.{1,12})?(?:写|给|来)(?:一?(?:个|段|条))?.{0,20}(?:函数|正则|脚本|sql|代码|算法|排序|程序|"
            r"查询|命令)"
        )
        + r"|用\s*(?:python|js|javascript|java|go|rust|c\+\+|c|ts|typescript|sql|shell|bash|"
        r"php)\s*(?:来)?(?:写|实现)|正则(?:表达式)?怎么",
        en=r"\b(?:regex|regular expression|one-liner|code snippet|pseudocode|sql query)\b|"
        r"\b(?:write|implement|code|show me|create)\b.{1,50}\bin (?:go|python|java|javascript|js|"
        r"typescript|rust|c|ruby|sql|bash|php|kotlin|swift)\b",
    ),
    Signal(
        "translates",
        "direct",
        3,
        zh=r"翻译|英译中|中译英|(?:翻|译)(?:成|为)|用(?:英语|英文|日语|法语|中文|韩语|德语)怎么(?:说|写)|"
        r"英文(?:怎么说|是什么)",
        en=r"\btranslat\w+|\bhow do you say\b|\bin (?:french|german|japanese|chinese|spanish|english|korean|"
        r"italian)\b",
    ),
    Signal(
        "changes_words",
        "direct",
        3,
        zh=r"(?:下面|以下|下列|这些)的?(?:列表|表格|数据|内容|数字|名字)|(?:合|并|连)成一(?:句|段)|润色|改写|"
        r"改得|改成.{0,6}(?:语气|语态|口吻|风格|句|时态)|扩写|缩写|纠正|纠错|校对|语病|错别字|提炼|归纳|"
        r"按.{1,8}排序|写得更|更(?:礼貌|正式|简洁|委婉)|"
        r"(?:这|下面|以下|下列)(?:段|句|几句|几个|个|篇|些|条)?\s*(?:话|文字|文本|文案|词|句子|诗|英文|"
        r"中文|代码|函数|报错|错误|sql|正则|数字|json)",
        en=r"\b(?:fix|check|correct) (?:the |my |this )?(?:grammar|spelling|typos?|punctuation|sentence|"
        r"english)\b|\b(?:rewrite|rephrase|paraphrase|proofread|polish|shorten|simplify|tl;?dr)\b|"
        r"\bbullet points?\b|\b(?:this|these|the following) (?:text|sentences?|paragraph|email|message|"
        r"words?|code|function|error|snippet|json|names|query|numbers)\b|"
        r"\b(?:sort|format|combine|merge|split) th(?:is|ese)\b|"
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
