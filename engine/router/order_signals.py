"""What speaks for tools: an order to run, look up, send, save, book or mend, now or later."""

from __future__ import annotations

from engine.router.signal import Signal, en_order, zh_order

ORDERS = (
    Signal(
        "and_runs_it",
        "agent",
        4,
        zh=r"(?:并|然后|再|接着|,)(?:且)?(?:给我|帮我)?(?:运行|执行|跑)|"
        r"(?:运行|执行|跑)(?:一下)?(?:这|下面|以下)",
        en=en_order(r"(?:run|execute|test) (?:it|them|that|this)"),
    ),
    Signal(
        "runs",
        "agent",
        6,
        zh=zh_order(
            r"(?:把.{1,30})?(?:运行|执行|跑(?:一下|一遍|个)?|部署|重启|启动|停掉|关掉|停止|关闭|安装|卸载|"
            r"升级|删除|删掉|清空|重命名|移动|复制|拷贝|新建|创建.{0,12}(?:文件|目录|分支|工单|日程|表|仓库)|"
            r"替换|移到|挪到|压缩|解压|打包|下载|上传|提交|推送|合并|回滚|备份|恢复|调用|清理|编译|构建|ping|"
            r"curl|git (?:log|status|diff|pull|push|commit|clone)|ssh 到|telnet|"
            r"用 ?(?:shell|bash|python|终端)\s*(?:跑|执行|运行))"
        )
        + r"|(?:跑|运行|执行)(?:一下|一遍|下)|(?:替换|更新|升级|合并|移动|移|挪|拷贝?|搬)(?:成|为|到|进)|"
        r"ping 一下|切(?:换)?到|合(?:并)?到|docker (?:ps|logs|exec|run)|加上(?:单元)?测试",
        en=en_order(
            r"run|execute|deploy|restart|reboot|start the|stop the|kill|install|uninstall|turn (?:on|off)|"
            r"switch to|enable|disable|scale|squash|approve|reject|assign|close|reopen|start|stop|connect to|"
            r"tail|upgrade|update|delete|remove|rename|move|copy|replace|compress|zip|unzip|archive|download|"
            r"upload|commit|push|merge|rollback|roll back|revert|back ?up|restore|call the|clean up|compile|"
            r"build the|ping|curl|git (?:status|log|diff|pull|push|fetch|commit|checkout|"
            r"clone)(?! (?:vs|or|and))|ssh (?:to|into)|checkout|clone|rebase|"
            r"(?:create|make|add|open|take) (?:an? |the )?(?:new |\w+ )?(?:file|folder|directory|branch|"
            r"ticket|issue|event|pull request|pr|tests?|unit tests?|table|repo|invite|meeting|calendar|poll|"
            r"channel|doc|backup|snapshot|page|record|account|user)|add (?:this|it|that|them) to|"
            r"remember (?:that|this)|note down|make a note|take a note|generate a qr"
        ),
    ),
    Signal(
        "sends",
        "agent",
        7,
        zh=r"(?:发|转|推送|抄送|转发|寄)(?:送|布|一)?(?:给|到)(?![^,。]{1,8}(?:的[^群]))|"
        + zh_order(
            r"发(?:一?(?:封|条|个))?(?:邮件|消息|通知|公告|短信)(?!时|的时候|怎么|要)|抄送(?!和|与|是)|"
            r"(?:通知|转告)(?!怎|是)"
        )
        + r"|给.{1,10}(?:发|打)(?:一?[封条个])?(?:消息|邮件|短信|通知|电话|微信)|发我(?:一份|看看|一下)?$|"
        r"^@\w|(?:记|备忘)(?:一下|住|录)|发(?:一?个)?投票|" + zh_order(r"(?:告诉|通知|转告)(?!我)(?!你)"),
        en=en_order(
            r"(?:send|email|e-mail|forward|post(?= (?:it|this|that|the|an?|in|to))|publish|notify|message|"
            r"share|submit|dm|ping @) .{1,60}|notify|alert"
        )
        + r"|\b(?:send|email|mail|forward) (?:it|them|that|this|the \w+)? ?(?:to|over)\b|"
        r"\btell (?:everyone|(?:the|our) (?:team|group|channel|others|client|customer|boss))\b|"
        r"\blet (?!me\b|us\b|'s)[\w ]{1,30} know\b|\bpost .{1,30} to (?:this|the|#)",
    ),
    Signal(
        "plans_for_later",
        "agent",
        7,
        zh=r"等.{1,12}(?:通知|告诉|提醒)我|(?:盯|守)(?:一下|着)|提醒(?:我|大家|他|她|我们)|叫我|闹钟|"
        r"(?:每(?:天|日|周|月|个?工作日|星期|小时|隔|晚|年)|定时|工作日)[^?吗]{0,12}(?:点|发|推|提醒|汇总|"
        r"检查|运行|执行|同步|备份|生成|统计|早|晚)|取消.{0,10}提醒|"
        r"[\d一二两三四五六七八九十半]+\s*个?(?:分钟|小时|天)(?:之)?后.{0,6}(?:提醒|叫|告诉|发|通知|检查)|"
        r"定时(?:发|任务(?:帮|每))|日程(?:里|中)?(?:加|建)|(?:加|建|安排).{0,12}日程",
        en=r"\blet me know (?:when|if|once)\b|\bremind (?:me|us|everyone|the)\b|"
        r"\b(?:set|cancel|delete|change)(?: an?| my| the)? (?:\w+ )?(?:reminder|alarm|timer)\b|"
        + en_order(r"schedule|wake me|every (?:\w+day|day|morning|evening|night|week|month|hour|\d+)")
        + r"|\bevery (?:\w+day|day|morning|evening|night|week|month|hour)(?:s)?(?: at|,).{0,30}\b(?:post|"
        r"send|check|run|tell|report|summar\w+)|\bin \d+ (?:minutes?|hours?)$|"
        r"\bon (?:weekdays|mondays|fridays|\w+days)\b.*\b(?:send|post|check)\b|"
        r"\bin \d+ (?:minutes?|hours?|days?) (?:remind|tell|check)\b|"
        r"\b(?:post|send|report|check).{1,60}\bevery \w+",
    ),
    Signal(
        "looks_up",
        "agent",
        4,
        zh=zh_order(
            r"(?:去|上网|网上|在网上|联网)?(?:查|搜|检查|检索|找(?:一下|找|出|到|一找)|看(?:看|一下|下|一看)|"
            r"读(?:一下|取|一读)?|打开|统计|监控|扫描|排查|生成.{0,12}(?:报表|报告|统计)|调研|抓取|爬|盘点|"
            r"核对|比对|验证)"
        )
        + r"|(?:查|搜)(?:一下|查|一查|索|下)",
        en=en_order(
            r"check(?! (?:the |my |this )?(?:grammar|spelling|sentence|punctuation|text|paragraph))|"
            r"look (?:at|into|up|for)|search|generate (?:an? |the )?(?:\w+ )?report|"
            r"find (?:\w+ files|recent|latest|out|every|all|the|where|which|any|me|my)|browse|google|fetch|"
            r"read|open|grep|query|monitor|scan|investigate|inspect|verify|review the|debug|diagnose|track|"
            r"crawl|scrape|count|measure|profile|show (?:me )?(?:the|all|our|my)|"
            r"list (?:all|our|my|every|the (?:\w+ )?(?:files|branches|containers|users|processes|packages|"
            r"tests))|get (?:me )?(?:the|all)|compare the|analy[sz]e"
        )
        + r"|\bfind out\b|\blook (?:it )?up\b",
    ),
    Signal(
        "saves",
        "agent",
        4,
        zh=r"(?:存|保存|写|导出|输出|转|整理|汇总)(?:成|为|到|入|进)\s*(?:一?(?:个|份))?\s*[a-z.]*(?:文件|"
        r"excel|表格|pdf|csv|word|ppt|markdown|json|文档|本地|磁盘|数据库)|导出|存盘|画成图|"
        r"(?:画|生成|做|绘制)(?:成|一?(?:个|张|份))?.{0,8}(?:折线图|柱状图|饼图|图表|二维码|曲线|excel|"
        r"pdf|统计|截图)",
        en=r"\b(?:save|export|write|output|convert|turn|render|dump)\b.{0,40}\b(?:as|to|"
        r"into) (?:an? )?(?:\w+ )?(?:file|excel|pdf|csv|word|json|xlsx|spreadsheet|disk|markdown|png)\b|"
        r"\bexport the\b|\b(?:bar|line|pie) charts?\b|\bqr code\b|" + en_order(r"plot|chart|graph"),
    ),
    Signal(
        "books",
        "agent",
        5,
        zh=zh_order(r"(?:订|预订|预定|预约|约|买|下单|退订|取消)(?!阅)(?!.*(?:怎么|什么时候|哪里|吗))"),
        en=en_order(r"book|reserve|order|buy|cancel (?:my|the|our)|register me|sign me up"),
    ),
    Signal(
        "mends_code",
        "agent",
        3,
        zh=zh_order(
            r"(?:修复|修一?下|重构|实现|优化|修改|调试|排查|补(?:上|充|齐)?|"
            r"(?:给|在).{1,20}(?:加|补|删)(?:上|一|个|入|充)?|把.{1,30}(?:改成|改为|改到|转成|换到))"
        ),
        en=en_order(
            r"fix(?! the grammar| my grammar| the spelling| this sentence| grammar)|refactor|"
            r"implement(?!.*\bin (?:go|python|java|js|javascript|typescript|rust|c|ruby|bash|php|kotlin|"
            r"swift)\b)|debug|patch|migrate|optimi[sz]e|add .{1,40} to (?:the|our|my|this)|bump|change"
        ),
    ),
)
