/** Links of a robot: web addresses, and `dtmd://` ones that send their text as the person who presses them. */

import { linkProps } from "./markdown.js";
import { say } from "./words.js";

const SENDS = /^dtmd:\/\/dingtalkclient\/sendMessage\?/i;

/** The text that a link sends as the person who presses it; empty for every other link. */
export function sentBy(url) {
  if (!SENDS.test(url ?? "")) return "";
  return new URLSearchParams(url.slice(url.indexOf("?"))).get("content") ?? "";
}

/** What an `<a>` gets; `follow(url)` is called for links that send. */
export function dingLink(url, follow) {
  const text = sentBy(url);
  if (!text) return /^https?:\/\//i.test(url ?? "") ? linkProps(url) : { class: "link" };
  const run = (event) => {
    event.preventDefault();
    follow(url);
  };
  const keyed = (event) => event.key === "Enter" && run(event);
  return {
    class: "link",
    role: "button",
    tabindex: "0",
    title: say("sendsAsYou", { text }),
    on: { click: run, keydown: keyed },
  };
}
