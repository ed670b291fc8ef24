"""What speaks for work with tools: places, systems, orders, what changes with time, what only this house knows."""

from __future__ import annotations

from engine.router.request import FILE_NAME, URL
from engine.router.signal import Signal, en_order, zh_order

_ZH_SYSTEM = (
    r"(?:服务器|服务|数据库|容器|集群|磁盘|硬盘|内存|cpu|端口|进程|构建|流水线|部署|证书|备份|日志|队列|接口|网站|站点|域名|网络|测试|"
    r"任务|定时任务|机器|主机|环境|线上|生产|缓存|nginx|redis|mysql|docker|api)"
)
_EN_SYSTEM = (
    r"(?:servers?|services?|database|db|containers?|cluster|disk|memory|cpu|ports?|process(?:es)?|build|pipeline|ci|deployments?|"
    r"deploy|certificates?|cert|backups?|logs?|queue|endpoint|api|site|website|domain|network|tests?|jobs?|machine|host|"
    r"staging|production|prod|cache|nginx|redis|postgres|mysql|docker|worker|app|release|branch|repo)"
)

PLACES = (
    Signal("names_a_file", "agent", 5, zh=FILE_NAME, en=FILE_NAME),
    Signal(
        "names_a_path",
        "agent",
        4,
        zh=r"(?:^|[\s,:(]|[\u3400-\u9fff])(?:~|\.{1,2})?/[a-z][\w.-]*|\b(?:src|docs?|tests?|scripts?|lib|bin|config|tmp|logs?)"
        r"(?:/|\s*(?:目录|文件夹))",
        en=r"(?:^|[\s:(])(?:~|\.{1,2})?/[a-z][\w.-]*|\b(?:src|docs?|tests?|scripts?|lib|bin|config)/\w|[a-z]:\\|"
        r"\b[\w-]*[_.][\w-]* (?:folder|directory)\b",
    ),
    Signal("names_an_address", "agent", 5, zh=URL, en=URL),
    Signal(
        "names_a_host",
        "agent",
        4,
        zh=r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|localhost|端口\s*\d+|\d+\s*端口",
        en=r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|\blocalhost\b|\bport \d+\b|"
        r"\b[a-z0-9-]+\.(?:com|org|net|io|cn|dev) (?:is )?(?:up|down|reachable|online|available|alive)\b",
    ),
    Signal(
        "is_here",
        "agent",
        7,
        zh=r"(?:这个|这台|当前|本|该|此|咱们|我们的?|整个)(?:项目|仓库|代码库|工程|目录|文件夹|工作区|分支|机器|主机|服务器|电脑|群|频道|会话|环境|系统|数据库)|"
        r"(?:群|频道)里|群文件|聊天记录|本机|系统时间|本地(?:的)?(?:文件|目录|仓库|环境)|服务器上|(?:生产|测试|预发|线上)环境|代码里|仓库里|项目里",
        en=r"\b(?:this|the current|current|our|my|the whole|the entire|local) (?:\w+ )?(?:repo(?:sitory)?|project|folder|directory|"
        r"machine|server|codebase|workspace|branch|computer|channel|group|thread|system|environment|cluster|pipeline|build)\b|"
        r"\b(?:installed|running|fail\w*|here) here\b|\bhere\?*$|\bin here\b|\bon (?:this|the) (?:machine|server|host|box)\b|"
        r"\bmy (?:public )?ip\b|\bin the (?:\w+ )?(?:folder|directory|config|table|workspace)\b|\bin the (?:repo|code|codebase|repository|logs?|channel|group)\b",
    ),
    Signal(
        "comes_with_it",
        "agent",
        10,
        zh=r"附件|(?:这|那)(?:份|张|个|些|几份|两份)\s*(?:表格?|表|文件|文档|pdf|ppt|excel|word|图片?|照片|截图|财报|报表|报告|合同|简历|压缩包|录音|视频|数据|"
        r"名单|账单|发票|日志|论文)|我(?:刚)?(?:上传|发)(?:的|给你)|上传的|截图里|录音|语音(?:里|消息)|(?:发票|图|照片|视频|表|文档|pdf|两个表|日志)(?:里|中)|识别.{0,4}(?:图|发票|文字)|图(?:片)?(?:里|中|上)",
        en=r"\battach(?:ed|ment)s?\b|\b(?:this|that|these) (?:uploaded |shared )?(?:spreadsheet|pdf|file|document|picture|"
        r"image|photo|screenshot|csv|excel|slides?|deck|recording|video|contract|resume|invoice|sheet|dataset|data)\b|"
        r"\bi (?:just )?(?:uploaded|attached|shared|sent)\b|\buploaded\b|\btranscribe\b|\bvoice (?:message|note)\b",
    ),
    Signal(
        "names_a_thing_given",
        "agent",
        4,
        zh=r"(?:里|中)(?:面)?(?:写了|提到|有没有|说了|记录)",
        en=r"\bthe (?:uploaded |shared )?(?:spreadsheet|pdf|document|picture|image|photo|screenshot|csv|recording|invoice|contract|sheet|dataset|file)\b",
    ),
)

ORDERS = (
    Signal(
        "and_runs_it",
        "agent",
        4,
        zh=r"(?:并|然后|再|接着|,)(?:且)?(?:给我|帮我)?(?:运行|执行|跑)",
        en=r"\band (?:then )?(?:run|execute|test) (?:it|them|that)\b",
    ),
    Signal(
        "runs",
        "agent",
        6,
        zh=zh_order(
            r"(?:把.{1,30})?(?:运行|执行|跑(?:一下|一遍|个)?|部署|重启|启动|停掉|停止|关闭|安装|卸载|升级|删除|删掉|清空|重命名|移动|复制|拷贝|"
            r"新建|创建.{0,12}(?:文件|目录|分支|工单|日程|表|仓库)|替换|移到|挪到|压缩|解压|打包|下载|上传|提交|推送|合并|回滚|备份|恢复|调用|清理|编译|构建|"
            r"ping|curl|git |ssh|telnet|用 ?(?:shell|bash|python|终端)\s*(?:跑|执行|运行))"
        )
        + r"|(?:跑|运行|执行)(?:一下|一遍|下)|(?:替换|更新|升级|合并|移动|移|挪|拷贝?|搬)(?:成|为|到|进)|ping 一下|切(?:换)?到|合(?:并)?到|docker (?:ps|logs|exec|run)|加上(?:单元)?测试",
        en=en_order(
            r"run|execute|deploy|restart|reboot|start the|stop the|kill|install|uninstall|turn (?:on|off)|switch to|enable|disable|scale|squash|approve|reject|assign|close|reopen|start|stop|connect to|tail|upgrade|update|delete|remove|rename|"
            r"move|copy|replace|compress|zip|unzip|archive|download|upload|commit|push|merge|rollback|roll back|revert|back ?up|"
            r"restore|call the|clean up|compile|build the|ping|curl|git (?:status|log|diff|pull|push|fetch|commit|checkout|clone)(?! (?:vs|or|and))|ssh (?:to|into)|checkout|clone|rebase|"
            r"(?:create|make|add|open) (?:an? |the )?(?:new |\w+ )?(?:file|folder|directory|branch|ticket|issue|event|pull "
            r"request|pr|tests?|unit tests?|table|repo|invite|meeting|calendar|poll|channel|doc|page|record|account|user)|"
            r"add (?:this|it|that|them) to|remember (?:that|this)|note down|make a note|take a note|generate a qr"
        ),
    ),
    Signal(
        "sends",
        "agent",
        7,
        zh=r"(?:发|转|推送|抄送|转发|寄)(?:送|布|一)?(?:给|到)(?![^,。]{1,8}(?:的[^群]))|"
        + zh_order(r"发(?:一?(?:封|条|个))?(?:邮件|消息|通知|公告|短信)|(?:通知|转告)(?!怎|是)")
        + r"|发我(?:一份|看看|一下)?$|^@\w|(?:记|备忘)(?:一下|住|录)|发(?:一?个)?投票|" + zh_order(r"(?:告诉|通知|转告)(?!我)(?!你)"),
        en=en_order(r"(?:send|email|e-mail|forward|post|publish|notify|message|share|submit|dm|ping @) .{1,60}|notify|alert")
        + r"|\b(?:send|email|mail|forward) (?:it|them|that|this|the \w+)? ?(?:to|over)\b|\blet (?!me\b|us\b|'s)[\w ]{1,30} know\b|\bpost .{1,30} to (?:this|the|#)",
    ),
    Signal(
        "plans_for_later",
        "agent",
        7,
        zh=r"提醒(?:我|大家|他|她|我们)|叫我|闹钟|(?:每(?:天|日|周|月|个?工作日|星期|小时|隔|晚|年)|定时|工作日)[^?吗]{0,12}(?:点|发|推|提醒|汇总|检查|运行|执行|同步|备份|"
        r"生成|统计|早|晚)|取消.{0,10}提醒|[\d一二两三四五六七八九十半]+\s*个?(?:分钟|小时|天)(?:之)?后.{0,6}(?:提醒|叫|告诉|发|通知|检查)|定时(?:发|任务(?:帮|每))|日程(?:里|中)?(?:加|建)|(?:加|建|安排).{0,12}日程",
        en=r"\bremind (?:me|us|everyone|the)\b|\b(?:set|cancel|delete|change)(?: an?| my| the)? (?:\w+ )?(?:reminder|alarm|timer)\b|"
        + en_order(r"schedule|wake me|every (?:\w+day|day|morning|evening|night|week|month|hour|\d+)")
        + r"|\bevery (?:\w+day|day|morning|evening|night|week|month|hour)(?:s)?(?: at|,).{0,30}\b(?:post|send|check|run|tell|report|"
        r"summar\w+)|\bin \d+ (?:minutes?|hours?)$|\bon (?:weekdays|mondays|fridays|\w+days)\b.*\b(?:send|post|check)\b|\bin \d+ (?:minutes?|hours?|days?) (?:remind|tell|check)\b|\b(?:post|send|report|check).{1,60}\bevery \w+",
    ),
    Signal(
        "looks_up",
        "agent",
        4,
        zh=zh_order(
            r"(?:去|上网|网上|在网上|联网)?(?:查|搜|检查|检索|找(?:一下|找|出|到|一找)|看(?:看|一下|下|一看)|读(?:一下|取|一读)?|打开|统计|监控|扫描|排查|调研|"
            r"抓取|爬|盘点|核对|验证)"
        )
        + r"|(?:查|搜)(?:一下|查|一查|索|下)",
        en=en_order(
            r"check(?! (?:the |my |this )?(?:grammar|spelling|sentence|punctuation|text|paragraph))|look (?:at|into|up|for)|search|find (?:out|every|all|the|where|which|any|me|my)|browse|google|fetch|read|open|grep|query|monitor|"
            r"scan|investigate|inspect|verify|review the|debug|diagnose|track|crawl|scrape|count|measure|profile|"
            r"show me (?:the|all|our|my)|list (?:all|the|our|my|every)|get (?:me )?(?:the|all)|compare the|analy[sz]e"
        )
        + r"|\bfind out\b|\blook (?:it )?up\b",
    ),
    Signal(
        "saves",
        "agent",
        4,
        zh=r"(?:存|保存|写|导出|输出|转|整理|汇总)(?:成|为|到|入|进)\s*(?:一?(?:个|份))?\s*[a-z.]*(?:文件|excel|表格|pdf|csv|word|ppt|markdown|json|文档|本地|磁盘|"
        r"数据库)|导出|存盘|(?:画|生成|做|绘制)(?:成|一?(?:个|张|份))?.{0,8}(?:折线图|柱状图|饼图|图表|二维码|曲线|excel|pdf|统计|截图)",
        en=r"\b(?:save|export|write|output|convert|turn|render|dump)\b.{0,40}\b(?:as|to|into) (?:an? )?(?:\w+ )?(?:file|excel|pdf|csv|"
        r"word|json|xlsx|spreadsheet|disk|markdown|png)\b|\bexport the\b|\b(?:bar|line|pie) charts?\b|\bqr code\b|" + en_order(r"plot|chart|graph"),
    ),
    Signal(
        "books",
        "agent",
        5,
        zh=zh_order(r"(?:订|预订|预定|预约|约|买|下单|退订|取消)(?!阅)(?!.*怎么)"),
        en=en_order(r"book|reserve|order|buy|cancel (?:my|the|our)|register me|sign me up"),
    ),
    Signal(
        "mends_code",
        "agent",
        3,
        zh=zh_order(r"(?:修复|修一?下|重构|实现|优化|修改|调试|排查|补(?:上|充|齐)?|(?:给|在).{1,20}(?:加|补|删)(?:上|一|个|入|充)?|把.{1,30}(?:改成|改为|转成|换到))"),
        en=en_order(r"fix(?! the grammar| my grammar| the spelling| this sentence| grammar)|refactor|implement(?!.*\bin (?:go|python|java|js|javascript|typescript|rust|c|ruby|bash|php|kotlin|swift)\b)|debug|patch|migrate|optimi[sz]e|add .{1,40} to (?:the|our|my|this)|bump|change"),
    ),
)

FACTS = (
    Signal(
        "changes_with_time",
        "agent",
        4,
        zh=r"天气|气温|(?:今天|明天|现在|外面|今晚).{0,6}多少度|下雨|股价|股票|行情|汇率|油价|金价|房价|币价|比特币|大盘|指数|新闻|热搜|头条|比分|赛程|票房|航班|高铁|火车票|机票|车次|路况|堵车|限行|快递|"
        r"物流|最新(?:的)?(?:版本|消息|进展|版|政策|价格|数据)|附近|现在几点|几点了|今天(?:星期|周|几号|多少号)|比赛结果|多少钱|收盘|开盘|现在多少|价格是|什么时候(?:上映|发布|开售|开放)|上映|空气质量|疫情",
        en=r"\b(?:weather|temperature (?:in|outside|today)|forecast|stock price|share price|exchange rate|price of|news|headlines|"
        r"scores?\b.{0,20}\b(?:game|match|last|today)|flight|traffic|latest (?:version|release|news|price|on)|bitcoin|btc|near me|nearby|"
        r"what time is it|who won\b.{0,40}\b(?:last|yesterday|today|tonight)|what's new|current (?:time|price|version|date|president|ceo|weather)|who won (?:the )?(?:game|match|last)|trending|"
        r"air quality|open now|opening hours|nasdaq|dow jones|s&p|market cap|when is the next|(?:going to|will it) (?:rain|snow)|box office|what day is (?:it|today)|trading at)\b",
    ),
    Signal(
        "names_a_day",
        "agent",
        1,
        zh=r"今天|明天|下周|目前|现在|此刻|今年|今晚",
        en=r"\b(?:today|tomorrow|tonight|next week|currently|now|still|since|this afternoon)\b",
    ),
    Signal(
        "names_what_just_was",
        "agent",
        4,
        zh=r"最新|昨天|前天|刚刚|最近|上(?:周|个?月|季度|一?年)(?!级)|本(?:周|月|季度|年)|这(?:周|个月|两天)|今早|昨晚|实时|今天早上",
        en=r"\b(?:yesterday|last (?:night|week|month|quarter|year|\d+)|this (?:week|month|morning|quarter|year)|recent(?:ly)?|"
        r"right now|latest)\b",
    ),
    Signal(
        "state_of_a_system",
        "agent",
        4,
        zh=rf"{_ZH_SYSTEM}.{{0,10}}(?:在跑|运行|挂了|还剩|剩余|剩多少|通过了|完成了|成功|正常|占用|用了|够|过了|都过|打不开|打开不了|报 ?\d|返回|通不通|连得上|连不上|卡|报错|报警|活着|过期|使用率|负载|"
        r"什么时候|失败|重启|有没有问题|状态|好了|慢|异常|多大|有多少|起来了)|(?:失败|挂|崩|重启|报警|宕机)了|使用率|覆盖率|通不通",
        en=rf"\b(?:is|are|does|did|has|have|do) (?:the |our |my |any )?[\w.-]*\s?[\w.-]*\s?\b{_EN_SYSTEM}\b.{{0,20}}\b(?:up|down|running|"
        r"open|alive|healthy|reachable|pass(?:ing|ed)?|fail(?:ing|ed)?|finish(?:ed)?|done|complete[d]?|expir\w+|full|slow|work(?:ing)?|"
        r"broken|green|red|installed|succeed(?:ed)?|go|still|restart(?:ed)?|crash(?:ed)?|stuck|live|compile[sd]?|coverage)\b|"
        rf"\bwhy (?:did|is|has|was|does|are|do) (?:the|our|my) (?:\w+ )?{_EN_SYSTEM}\b.{{0,20}}\b(?:fail|crash|down|slow|restart|red|stuck|break|"
        r"broke|time|error|stop|return|keep)\w*|\b(?:test|code) coverage\b|\bis broken\b|\bcan't (?:log ?in|connect|access|reach)\b|\bdisk space\b|\buptime\b|\bhow (?:much|big|full|large) (?:\w+ )?(?:is |are )?(?:the|our|my|left|free)\b|"
        r"\b(?:space|memory|ram) (?:is |are )?(?:left|free|used|available)\b|\bprocess(?:es)? (?:is|are|use|using)\b|\bis \w+ installed\b|"
        rf"\b(?:status|health|state) of (?:the|our|my|all)\b",
    ),
    Signal(
        "asks_the_code",
        "agent",
        5,
        zh=r"(?:哪个|哪些|什么)(?:文件|目录|模块|分支|提交|函数|类|接口|测试)|(?:最近|上)(?:的)?(?:几|一|两|三|五|十|\d+)?次?(?:提交|改动)|谁(?:最后|最近)?(?:改|提交)(?:了|的|过)|"
        r"git (?:log|diff|status|blame)|未合并|代码量|\w+ ?表(?:里|中|有|的)|(?:所有|全部)的? ?todo|代码行数|多少行(?:代码)?|依赖.{0,8}(?:过期|过时|更新|版本)|pr ?#?\d+|issue ?#?\d+|"
        r"(?:函数|类|变量|方法)(?:在|是在)?哪",
        en=r"\bwhich (?:files?|branch|commit|module|function|tests?|class|folder|dependenc\w+|packages?)\b|\b(?:last|latest|recent) (?:\w+ )?commits?\b|"
        r"\bwho (?:last )?(?:changed|committed|touched|broke|edited|owns)\b|\bwho wrote this\b|\bgit (?:log|diff|status|blame)\b|\bwhere is .{1,40} (?:defined|used|"
        r"called|implemented|declared|set)\b|\b(?:every|all) (?:use|call|usage|reference|todo|occurrence)s?\b|\b(?:lines of code|code lines|python lines|"
        r"dependencies)\b|\b(?:pr|pull request|issue|ticket|mr) ?#?\d+\b|\bopen (?:prs?|pull requests|issues|tickets|bugs)\b|\bwhat changed\b|"
        r"\b(?:rows?|records?|entries) (?:are |is )?in\b|\bgit (?:status|diff)\b|\bversion (?:is|of \w+ is|do we) (?:\w+ )?(?:installed|use|run)|\bis installed\b",
    ),
    Signal(
        "only_this_house_knows",
        "agent",
        4,
        zh=r"知识库|(?:我们|咱们|公司|团队|部门|本)(?:公司|的)?(?:的)?(?:制度|规定|年假|差旅|报销|手册|文档|流程|规范|福利|政策|考勤|周报|客户|订单|库存|销售|项目|服务|"
        r"系统|官网|网站|群|排期|接口人|值班|会议|合同|团队|产品)|我(?:的|有(?:哪些|什么|几个))?(?:今天|明天|这周|本周|下周)?(?:的|有(?:哪些|什么|几个))?(?:日程|会议|会|待办|任务|"
        r"邮件|工单|审批|日历|考勤|年假|订单|快递|pr)|待办|(?:请|休)(?:明天|今天|后天|下周|.天).{0,3}假|批了|审批|排班|会议室|食堂|班车|工资条|打卡|未读|收件箱|(?:直属)?领导是|负责人|接口人|(?:的|工作)(?:邮箱|电话|手机号|分机|工位)|(?:哪些|什么)任务|(?:根据|按照?)(?:公司|内部|我们|知识库|手册|制度|规范)|值班|报销(?:制度|标准|流程)|订单(?:号)?\s*\d|工单\s*\d|"
        r"客户.{0,6}(?:最|哪|多少)|(?:销售额|营收|库存|日活|月活|用户数|转化率|访问量|访问统计|留存|订单(?:量|数))",
        en=r"\b(?:handbook|knowledge base|wiki|intranet|confluence|jira|notion|salesforce|crm|our (?:company|team|polic\w+|docs?|documentation|"
        r"process|customers?|orders?|sales|inventory|revenue|guidelines?|office|runbook|ssl|domain|website|users?|api|services?|database|"
        r"servers?|app|product|cert\w*|contract\w*|backlog|roadmap|meeting\w*|sprint|onboarding|budget|staging|production))\b|"
        r"\bmy (?:calendar|inbox|emails?|meetings?|tasks?|to-?dos?|tickets?|schedule|appointments?|orders?|prs?|vacation days|expenses?)\b|"
        r"\b(?:unread|inbox|new emails?|emails? from)\b|\b\w+'s (?:phone|email|extension|calendar|number|desk|schedule)\b|\bwho(?:'s| is) (?:responsible|in charge)|\bwho (?:owns|runs|handles)\b|\b(?:leave|vacation|expense|access) (?:request|claim)s?\b|\b(?:request|claim) #?\d|"
        r"\bon call\b|\bcompany (?:policy|handbook|rules)\b|\b(?:do|does|did|can) (?:we|our company|our team) (?:have|get|offer|allow|use|sell|support|earn)\b|"
        r"\border #?\d|\bticket #?\d|\bcustomers? (?:has|have|with|did|bought|signed)|\bsigned up\b|\b(?:sales|revenue|orders|signups) "
        r"(?:for|in|from|of|last|this|by|did|were)\b|\bhow (?:many|much) .{1,30}\b(?:did|do|have) we\b",
    ),
    Signal(
        "asks_about_us",
        "agent",
        4,
        zh=r"(?:我们|咱们|(?<![小大个支家])(?:公司|团队)).{0,14}(?:\?|吗|什么|哪|谁|几|多少|为什么)|我(?:还)?(?:剩|有)(?:下)?(?:多少|几|哪些|什么)|我的.{1,12}(?:到哪|什么时候|几|多少|谁|状态|进度|在哪)|"
        r"(?:客户|合同|工单|订单|审批|发票|账单|供应商|库存|需求|排期|版本|产品).{0,12}(?:什么时候|谁|到哪|进度|状态|多少|哪个|几号|到期|卖)|线上",
        en=r"^(?:what|who|when|where|which|how|do|does|did|is|are|has|have|why)\b.{0,60}\b(?:our|us)\b|^(?:what|who|when|where|which|did|have|how many|how much)\b.{0,40}\bwe\b|"
        r"\bdo i (?:still )?have\b|"
        r"\b(?:have|has) (?:i|we) (?:got|left)\b|\b(?:account manager|invoice|shipment|refund|vendor|client|customer|contract|purchase order|"
        r"headcount|payroll|tenant|supplier)s?\b.*\?",
    ),
    Signal(
        "asks_about_a_period",
        "agent",
        2,
        zh=r"(?:上|本|这)(?:周|个?月|季度|年).*(?:多少|哪|几|吗|什么|谁)",
        en=r"\b(?:which|what|who|how (?:many|much)|did|any)\b.*\b(?:last|this|past) (?:week|month|quarter|year|night)\b",
    ),
    Signal(
        "searches_the_web",
        "agent",
        4,
        zh=r"上网|网上(?:搜|查|找)|联网|搜索(?:一下|引擎)?|百度一下|谷歌一下|官网",
        en=r"\b(?:search|look|check|find).{0,20}\b(?:web|internet|online)\b|\bgoogle (?:it|for|this)\b|\bofficial (?:site|website)\b",
    ),
)

AGENT = (*PLACES, *ORDERS, *FACTS)
