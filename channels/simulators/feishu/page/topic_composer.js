/** The composer with what topics add: a message begins a topic, or continues one. */

import { Composer } from "./composer.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

/** The writing box of a Feishu chat. */
export class TopicComposer extends Composer {
  drawAbove(store) {
    const inTopics = store.chat.type === "topic";
    if (!store.replyTo) return inTopics && h("div", { class: "replying replying-new" }, icon("topic"), say("newTopic"));
    if (!inTopics && !store.replyTo.thread_id) return super.drawAbove(store);
    return this.drawReply("topic", say("inTopic"));
  }
}
