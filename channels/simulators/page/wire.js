/** The page's only way to the simulator: its state, its events, and what a person does. */

/** Read the whole state once. */
export async function fetchState() {
  const answer = await fetch("/_sim/state");
  if (!answer.ok) throw new Error(`state: HTTP ${answer.status}`);
  return answer.json();
}

/** Send a message as a person; gives `{message_id}`. */
export function send(body) {
  return post("/_sim/send", body);
}

/** The simulator does not do what was asked; the message says why. */
export class Refused extends Error {}

/** Keep a file on the platform; gives its key or id. `more` is what a platform wants to know beside the file. */
export async function upload(file, more = {}) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return post("/_sim/upload", {
    kind: isPicture(file) ? "image" : "file",
    name: file.name,
    base64: btoa(text),
    ...more,
  });
}

/** Tell whether a file is sent as a picture. */
export function isPicture(file) {
  return file.type.startsWith("image/");
}

/** Press a button as a person; gives `{code, toast}`. */
export function click(body) {
  return post("/_sim/click", body);
}

/** Take a message back. */
export function recall(messageId) {
  return post("/_sim/recall", { message_id: messageId });
}

/** Do something that only some platforms have, by its path below `/_sim`; gives the answer. */
export function act(name, body) {
  return post(`/_sim/${name}`, body);
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status === 400) throw new Refused((await answer.json()).error);
  if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status}`);
  return answer.json();
}

/**
 * Follow the simulator's events for as long as the page lives. `onOpen` runs at each (re)connect, because events may have
 * been missed in between.
 */
export function follow({ onOpen, onEvent, onLost }) {
  const source = new EventSource("/_sim/events");
  source.addEventListener("open", onOpen);
  source.addEventListener("error", () => {
    onLost();
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow({ onOpen, onEvent, onLost }), 1000);
  });
  source.addEventListener("message", (event) => onEvent(JSON.parse(event.data)));
  window.addEventListener("pagehide", () => source.close(), { once: true });
}
