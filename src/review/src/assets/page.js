"use strict";
// The page of `vault-gw review --web`. All text comes escaped from the server and is only ever added as text.

const LONGEST_LINE = 3000;
const MOST_LINES = 400;
const LONGEST_FACT = 300;
const MOST_FACTS = 20;
/** The time during which buttons are disabled after the page has changed under the pointer, in milliseconds. */
const REST = 700;
/** The buttons that decide. */
const ANSWERS = "button.accept, button.reject, button.undo";
const WORDS = { created: "New note", moved: "Renamed", removed: "Deleted", trashed: "Moved to the trash",
  folderMade: "New folder", folderRemoved: "Folder removed", modified: "Changed" };

const byId = (id) => document.getElementById(id);
/** The comments that the person types, and the texts that they edit, by the ids of their fields. */
const comments = new Map();
const edits = new Map();
/** The state of the draft that the open question is about. */
let dialogState = null;
let key = null;
let changes = [];
let current = 0;
let busy = false;
let missed = false;
let done = "";
let shownText = "";
let hasPointerMoved = true;

/** Makes an element. Children are elements or texts, never markup. */
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Returns a short text that differs for different texts. */
function hash(text) {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
    low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
  }
  return `${text.length}-${(high >>> 0).toString(36)}-${(low >>> 0).toString(36)}`;
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const time = (text) => new Date(text).toLocaleString();

/** Returns a text with the characters marked that the server wrote as \u{…}. */
function shown(text, isEnd = true) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(/\\u\{([0-9a-f]+)\}/g)) {
    pieces.push(text.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[1] === "d" && isEnd && from === text.length) {
      pieces.push(make("span", { class: "line-end", title: "carriage return" }, "␍"));
    } else {
      pieces.push(make("span", { class: "hidden-character", title: "hidden or misleading character" }, found[0]));
    }
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece !== "");
}

/** Returns a text of an agent or of the vault inside our own words, marked and in its own direction. */
function outside(text) {
  const head = text.slice(0, LONGEST_FACT).replace(/\\(u(\{[0-9a-f]*)?)?$/, "");
  const rest = text.length > LONGEST_FACT ? text.slice(head.length) : "";
  const pieces = shown(rest ? head : text);
  if (rest) pieces.push(unfold(`Show ${rest.length} more characters`, () => shown(rest)));
  return make("bdi", { class: "outside" }, ...pieces);
}

// ---- Lines and words ----

/** The hunks of a unified diff: their numbers and lines. */
function parse(diff) {
  const hunks = [];
  for (const line of (diff ?? "").split("\n")) {
    const head = /^@@ -(\S+) \+(\S+) @@ hunk (\d+)$/.exec(line);
    if (head) hunks.push({ number: Number(head[3]), at: head[2].split(",")[0], lines: [] });
    else if (line !== "") hunks.at(-1)?.lines.push({ sign: line[0], text: line.slice(1), marks: null });
  }
  hunks.forEach((hunk) => pairLines(hunk.lines));
  return hunks;
}

/** Marks the words that differ between removed lines and the added lines after them. */
function pairLines(lines) {
  const removed = lines.filter((line) => line.sign === "-");
  const added = lines.filter((line) => line.sign === "+");
  if (removed.length !== added.length || removed.length > MOST_LINES) return;
  removed.forEach((before, index) => markWords(before, added[index]));
}

function markWords(before, after) {
  if (Math.max(before.text.length, after.text.length) > LONGEST_LINE) return;
  const split = (text) => text.match(/\\u\{[0-9a-f]+\}|[\p{L}\p{N}_]+|\s+|./gu) ?? [];
  const [old, fresh] = [split(before.text), split(after.text)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const [left, right] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const [keptLeft, keptRight] = common(left, right);
  const marks = (words, kept) => words.map((word, index) => {
    const inside = index >= start && index < words.length - end;
    return { word, differs: inside && !kept.has(index - start) };
  });
  before.marks = marks(old, keptLeft);
  after.marks = marks(fresh, keptRight);
}

/** The places of a longest common subsequence in both lists; none if the lists are long. */
function common(left, right) {
  const kept = [new Set(), new Set()];
  if (left.length * right.length > 40000) return kept;
  const width = right.length + 1;
  const length = new Uint16Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      length[row * width + column] = left[row] === right[column]
        ? length[(row + 1) * width + column + 1] + 1
        : Math.max(length[(row + 1) * width + column], length[row * width + column + 1]);
    }
  }
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) { kept[0].add(row); kept[1].add(column); row += 1; column += 1; }
    else if (length[(row + 1) * width + column] >= length[row * width + column + 1]) row += 1;
    else column += 1;
  }
  return kept;
}

/** Returns a button that is replaced by its content. Its label counts the content. */
function unfold(label, content) {
  const button = make("button", { type: "button", class: "more", click: () => {
    const all = content();
    button.replaceWith(...all);
    all.find((one) => one instanceof HTMLElement && one.tabIndex >= 0)?.focus();
  } }, label);
  return button;
}

function lineElement(line) {
  const kind = { "+": "added", "-": "removed", "\\": "remark" }[line.sign] ?? "same";
  const tag = { "+": "ins", "-": "del" }[line.sign] ?? "span";
  const words = make(tag, { class: "words" });
  if (line.sign === "\\") words.append("no line break at the end of the text");
  else if (line.marks) {
    line.marks.forEach(({ word, differs }, index) => {
      const pieces = shown(word, index === line.marks.length - 1);
      words.append(...(differs ? [make("mark", {}, ...pieces)] : pieces));
    });
  } else {
    // An escape is not cut in two.
    const head = line.text.slice(0, LONGEST_LINE).replace(/\\(u(\{[0-9a-f]*)?)?$/, "");
    const rest = line.text.slice(line.text.length > LONGEST_LINE ? head.length : line.text.length);
    words.append(...shown(rest ? head : line.text, !rest));
    if (rest) words.append(unfold(`Show ${rest.length} more characters of this line`, () => shown(rest)));
  }
  const reader = { "+": "added: ", "-": "removed: " }[line.sign];
  const sign = make("span", { class: "sign", "aria-hidden": "true" }, line.sign === "\\" ? "" : line.sign);
  return make("div", { class: `line ${kind}` }, sign, ...(reader ? [make("span", { class: "for-readers" }, reader)] : []), words);
}

function lineElements(lines) {
  const elements = lines.slice(0, MOST_LINES).map(lineElement);
  const rest = lines.slice(MOST_LINES);
  if (rest.length > 0) elements.push(unfold(`Show ${plural(rest.length, "more line")}`, () => lineElements(rest)));
  return elements;
}

// ---- Drafts, notes and changes ----

function commentField(id, label) {
  const input = make("input", { type: "text", id, maxlength: "2000", autocomplete: "off" });
  input.value = comments.get(id)?.text ?? "";
  input.addEventListener("input", () => comments.set(id, { label, text: input.value }));
  return make("label", { class: "comment", for: id }, label, input);
}

/** The comment in this field, for an answer. */
function commented(id) {
  const comment = (comments.get(id)?.text ?? "").trim();
  return comment ? { comment } : {};
}

/** The hunks of a file, in the order of the page: their numbers, labels and lines. Hunks that are too large to be shown are not among them. */
function hunksOf(file) {
  const isText = file.change === "modified" || file.change === "moved";
  const parsed = parse(file.diff);
  const word = WORDS[file.change] ?? file.change;
  if (!isText) return file.leftOut > 0 ? [] : file.hunks.map((number) => ({ number, label: word, lines: parsed.flatMap((hunk) => hunk.lines) }));
  const whole = file.hunks.includes(0) ? [{ number: 0, label: word, lines: [] }] : [];
  return [...whole, ...parsed.map((hunk) => ({ ...hunk, label: `Change ${hunk.number}, line ${hunk.at}` }))];
}

/** The parts of a draft: its groups, and of each file what belongs to no group. A part has the hunks of a file that are
    shown, which can be accepted, and the numbers of all, which can be rejected. Parts with the same group are decided together. */
function partsOf(draft) {
  const all = new Map(draft.files.map((file) => [file.note, { file, hunks: hunksOf(file), numbers: file.hunks }]));
  const groups = draft.groups.map((group, place) => group.members.map((member) => {
    const rest = all.get(member.note);
    const part = { file: rest.file, group: place, hunks: rest.hunks.filter((hunk) => member.hunks.includes(hunk.number)), numbers: member.hunks };
    rest.hunks = rest.hunks.filter((hunk) => !member.hunks.includes(hunk.number));
    rest.numbers = rest.numbers.filter((number) => !member.hunks.includes(number));
    return part;
  }));
  return [groups, [...all.values()].filter((part) => part.numbers.length > 0)];
}

/** The parts that are as a test says, without the groups of which a part is not. */
function together(parts, isSo) {
  const apart = new Set(parts.filter((part) => !isSo(part)).map((part) => part.group));
  return parts.filter((part) => isSo(part) && (part.group === undefined || !apart.has(part.group)));
}

/** Whether a part can be accepted here: it is not in conflict, and of a group everything is shown. */
const isAcceptable = ({ file, hunks, numbers, group }) => !file.conflict && hunks.length > 0 && (group === undefined || hunks.length === numbers.length);

/** Notes with the numbers of their hunks, as the server takes them. */
function notesOf(parts, accept) {
  const notes = {};
  for (const { file, hunks, numbers } of parts) {
    notes[file.note] = [...(notes[file.note] ?? []), ...(accept ? hunks.map((hunk) => hunk.number) : numbers)];
  }
  return notes;
}

const isAbout = (warning, hunk) => warning.hunk === undefined || warning.hunk === hunk.number;

/** Returns the hunks of these parts that have warnings. A warning about a whole file is about all its hunks. */
function risksOf(parts) {
  const risks = [];
  for (const { file, hunks } of parts) {
    const isWhole = file.warnings.some((warning) => warning.hunk === undefined);
    for (const chosen of isWhole ? [hunks] : hunks.map((hunk) => [hunk])) {
      const warnings = file.warnings.filter((warning) => chosen.some((hunk) => isAbout(warning, hunk)));
      if (warnings.length > 0) risks.push({ file, hunks: chosen, label: isWhole ? [] : [`, ${chosen[0].label}`], warnings });
    }
  }
  return risks;
}

const idsOf = (warnings) => warnings.map((warning) => warning.id);
const warningWords = (warning) => (warning.text === undefined ? shown(warning.sentence) : [`${warning.sentence}: `, outside(warning.text)]);
const warningItems = (warnings) => warnings.map((warning) => make("li", { class: "danger" }, ...warningWords(warning)));

/** Asks before parts are accepted that have warnings, or if some cannot be accepted. Several parts with warnings are selected one by one. */
function confirmDecision({ title, why, parts, accept, state, answer }) {
  const risks = accept ? risksOf(parts) : [];
  const count = (of) => of.reduce((sum, part) => sum + (accept ? part.hunks : part.numbers).length, 0);
  const boxes = risks.map(() => make("input", { type: "checkbox" }));
  const chosen = () => {
    if (!accept) return parts;
    const left = new Set(risks.filter((_, index) => risks.length > 1 && !boxes[index].checked).flatMap((risk) => risk.hunks));
    const isTicked = (part) => part.group === undefined || !part.hunks.some((hunk) => left.has(hunk));
    const ticked = together(parts, isTicked).map((part) => ({ ...part, hunks: part.hunks.filter((hunk) => !left.has(hunk)) }));
    return ticked.filter((part) => part.hunks.length > 0);
  };
  const items = risks.map((risk, index) => {
    const name = [outside(risk.file.path), ...risk.label];
    const label = risks.length > 1 ? make("label", {}, boxes[index], " ", ...name) : make("span", {}, ...name);
    return make("li", {}, label, make("ul", {}, ...warningItems(risk.warnings)));
  });
  const word = accept ? "Accept" : "Reject";
  const go = make("button", { type: "button", class: word.toLowerCase() });
  const update = () => {
    const [some, all] = [count(chosen()), plural(count(parts), "change")];
    go.textContent = some === count(parts) ? `${word} ${all}` : `${word} ${some} of ${all}`;
    go.disabled = some === 0;
  };
  boxes.forEach((box) => box.addEventListener("change", update));
  update();
  go.addEventListener("click", (event) => {
    if (isMisled(event)) return;
    byId("question").close();
    answer(chosen());
  });
  openDialog(state, title, [...why,
    ...(risks.length > 1 ? [make("p", {}, "Select the changes to accept. The others stay in the draft.")] : []),
    ...(items.length > 0 ? [make("ul", {}, ...items)] : [])], go);
}

/** Returns the buttons that accept and reject parts of a draft. A part with a warning asks first. */
function buttons(what, draft, parts, commentId, { all = "", key, canAccept = true }) {
  const decide = (accept) => (event) => {
    if (isMisled(event)) return;
    const decision = (chosen) => ({ draft: draft.draft, state: draft.state, accept, notes: notesOf(chosen, accept), ...commented(commentId) });
    const sendDecision = (chosen) => send("/decision", { ...decision(chosen), confirmed: risksOf(chosen).flatMap((risk) => idsOf(risk.warnings)) },
      `${accept ? "Accepted" : "Rejected"}: ${what}.`, commentId);
    const chosen = accept ? together(parts, isAcceptable) : parts;
    const why = [];
    const conflicts = parts.filter((part) => part.file.conflict).length;
    if (accept && conflicts > 0) why.push(make("p", {}, `Not accepted: ${plural(conflicts, "file")} in conflict, and the other changes of the same groups. They stay in the draft.`));
    if (why.length > 0 || (accept && risksOf(chosen).length > 0)) {
      const title = `${accept ? "Accept" : "Reject"} ${what}?`;
      confirmDecision({ title, why, parts: chosen, accept, state: draft.state, answer: sendDecision });
    } else sendDecision(chosen);
  };
  const button = (word, accept) => make("button", { type: "button", class: word.toLowerCase(), click: decide(accept), "data-focus": `${word} ${key}` },
    word + all, make("span", { class: "for-readers" }, ` of ${what}`));
  return make("span", { class: "buttons" }, ...(canAccept ? [button("Accept", true)] : []), button("Reject", false));
}

function draftElement(draft, index) {
  const client = draft.client ? outside(draft.client) : "";
  const who = draft.agent ? ["Draft of ", outside(draft.agent), ...(client ? [" (", client, ")"] : [])]
    : client ? ["Draft of ", client, ", which has no agent name"] : ["Draft of agents without a name"];
  const commentId = `comment-${draft.draft}`;
  const [groups, others] = partsOf(draft);
  const parts = [...groups.flat(), ...others];
  const warnings = risksOf(parts).reduce((sum, risk) => sum + risk.warnings.length, 0);
  const conflicts = draft.files.filter((file) => file.conflict).length;
  const counts = [`${plural(draft.files.length, "file")}, last changed ${time(draft.changed)} (${draft.name})`];
  if (warnings > 0) counts.push(", ", make("span", { class: "danger" }, plural(warnings, "warning")));
  if (conflicts > 0) counts.push(", ", make("span", { class: "danger" }, plural(conflicts, "conflict")));
  return make("section", { "aria-labelledby": `draft-${index}` },
    make("h2", { id: `draft-${index}` }, ...who),
    make("p", { class: "counts" }, ...counts),
    ...groups.map((group, place) => groupElement(draft, group, draft.groups[place].words, `${index}-group-${place}`)),
    ...others.map((part, place) => partElement(draft, part, `${index}-${place}`)),
    make("div", { class: "whole-draft" }, commentField(commentId, "Comment on the whole draft, for the agent"),
      make("div", { class: "bar" }, make("span", {}, "All of this draft"),
        buttons("this draft", draft, parts, commentId, { all: " all", key: `${draft.draft} ${draft.state}`, canAccept: together(parts, isAcceptable).length > 0 }))));
}

/** Changes that belong together, with the reason. */
function groupElement(draft, group, words, place) {
  const notes = group.map((part) => part.file.note);
  const commentId = `comment-${draft.draft}-group-${notes.join(" ")}`;
  const what = `the group “${words}”`;
  const key = `${draft.draft} ${what} ${hash(JSON.stringify(group))}`;
  return make("section", { class: "group", "aria-labelledby": `note-${place}` },
    make("div", { class: "bar" }, make("h3", { id: `note-${place}` }, "Together: ", outside(words)),
      make("span", {}, plural(new Set(notes).size, "file")),
      buttons(what, draft, group, commentId, { all: " together", key, canAccept: together(group, isAcceptable).length > 0 })),
    ...group.map((part, index) => partElement(draft, part, `${place}-${index}`, commentId)),
    commentField(commentId, "Comment on these changes, for the agent"));
}

/** A file, or the hunks of it that belong to a group or to none. */
function partElement(draft, part, place, commentOfGroup) {
  const { file, hunks } = part;
  const isOfGroup = commentOfGroup !== undefined;
  const commentId = commentOfGroup ?? `comment-${draft.draft}-${file.note}`;
  const noteKey = `${draft.draft} ${isOfGroup} ${file.note} ${hash(JSON.stringify(file))}`;
  const title = make("h3", { id: `note-${place}` }, ...(file.from ? [outside(file.from), " → "] : []), outside(file.path));
  const canAccept = !file.conflict && hunks.length > 0;
  // All of the note is shown and decided here.
  const canEdit = canAccept && !isOfGroup && hunks.length === file.hunks.length && file.diff && ["created", "modified", "moved"].includes(file.change);
  const article = make("article", { class: "note", "aria-labelledby": `note-${place}` },
    make("div", { class: "bar" }, title,
      make("span", {}, `${WORDS[file.change] ?? file.change}  +${file.added} −${file.removed}`),
      ...(canEdit ? [editButton(draft, file, noteKey)] : []),
      ...(isOfGroup ? [] : [buttons(file.path, draft, [part], commentId, { all: part.numbers.length > 1 ? " all" : "", key: noteKey, canAccept })])),
    ...warningList(file), ...(isOfGroup ? [] : editor(draft, part, commentId, canEdit)), ...facts(file), ...conflict(file));
  for (const hunk of hunks) {
    const key = `${draft.draft} ${file.note} ${hunk.number} ${hash(hunk.lines.map((line) => line.sign + line.text).join("\n"))}`;
    const own = file.warnings.filter((warning) => warning.hunk === hunk.number);
    const bar = make("div", { class: "bar" }, make("span", {}, hunk.label),
      ...(part.numbers.length > 1 && !isOfGroup ? [buttons(`${file.path}, ${hunk.label}`, draft, [{ file, hunks: [hunk], numbers: [hunk.number] }], commentId, { key, canAccept })] : []));
    const change = make("div", { class: "change", tabindex: "-1", role: "group", "aria-label": `${file.path}, ${hunk.label}` },
      bar, ...(own.length > 0 ? [make("ul", { class: "facts" }, ...warningItems(own))] : []), make("div", { class: "lines" }, ...lineElements(hunk.lines)));
    change.dataset.focus = key;
    change.dataset.comment = commentId;
    article.append(change);
  }
  if (!isOfGroup) article.append(commentField(commentId, `Comment on ${file.path}, for the agent`));
  return article;
}

/** A list whose further items are behind a button that counts them. */
function folded(items, word, attributes) {
  if (items.length === 0) return [];
  const rest = items.slice(MOST_FACTS);
  const more = rest.length > 0 ? [make("li", attributes, unfold(`Show ${plural(rest.length, `more ${word}`)}`, () => rest))] : [];
  return [make("ul", { class: "facts" }, ...items.slice(0, MOST_FACTS), ...more)];
}

/** The warnings about a file, those about single hunks too. */
function warningList(file) {
  const items = warningItems(file.warnings);
  if (file.leftOut > 0) items.push(make("li", { class: "danger" }, "Some changes of this file are too large for this page. You can reject them here. To accept them, use `vault-gw review` at a terminal."));
  return folded(items, "warning", { class: "danger" });
}

/** Returns the facts that are hard to see in the diff. */
function facts(file) {
  const items = [];
  const say = (...words) => items.push(make("li", {}, ...words));
  const hasText = file.diff || file.leftOut > 0 || file.change === "folderMade" || file.change === "folderRemoved";
  if (!hasText) say("No text to compare: the file is only moved, or it is not text.");
  (file.properties ?? []).forEach((change) => say("Property ", outside(change.name), " was ",
    change.before === undefined ? "missing" : outside(change.before), ", becomes ", change.after === undefined ? "missing" : outside(change.after)));
  (file.linksAdded ?? []).forEach((link) => say("New link ", outside(link)));
  (file.linksRemoved ?? []).forEach((link) => say("Link removed ", outside(link)));
  return folded(items, "fact", {});
}

/** Both sides of a conflict. */
function conflict(file) {
  if (!file.conflict) return [];
  const why = make("p", { class: "facts danger" }, `Cannot be accepted: ${file.conflictReason ?? "it was changed in the vault"}. Reject it, or change the note yourself to what you want.`);
  const side = (name, text) => make("div", {}, make("h4", {}, name), make("pre", { tabindex: "0" }, ...shown(text)));
  return [why, ...(file.sides ?? []).map((one) => make("div", { class: "sides" },
    side(`Original text, from line ${one.line}`, one.base), side("In the draft", one.draft), side("In the vault", one.vault)))];
}

// ---- A text that the person edits before accepting it ----

const editKey = (draft, file) => `edit-${draft.draft}-${file.note}`;
const proposedText = (draft, file) => ask("/text", { draft: draft.draft, state: draft.state, note: file.note });

function editButton(draft, file, noteKey) {
  const id = editKey(draft, file);
  const begin = async (event) => {
    if (isMisled(event)) return;
    const from = event.currentTarget;
    try {
      notice();
      if (edits.get(id)?.state !== draft.state) {
        const { text } = await proposedText(draft, file);
        edits.set(id, { label: `Your text of ${file.path}`, proposed: text, text: edits.get(id)?.text ?? text, state: draft.state });
        await refresh(from);
      }
      byId(id)?.focus();
    } catch (error) {
      notice(error.message);
    }
  };
  return make("button", { type: "button", class: "edit", click: begin, "data-focus": `Edit ${noteKey}` },
    "Edit", make("span", { class: "for-readers" }, ` the text of ${file.path} before accepting it`));
}

/** The field for the person's text, if they edit this note. */
function editor(draft, part, commentId, canEdit) {
  const { file } = part;
  const id = editKey(draft, file);
  const edit = edits.get(id);
  if (!edit) return [];
  const field = make("textarea", { id, rows: String(Math.min(24, edit.text.split("\n").length + 1)), spellcheck: "false" });
  field.value = edit.text;
  field.addEventListener("input", () => { edit.text = field.value; });
  const accept = (event) => {
    if (isMisled(event)) return;
    const answer = (confirmed) => send("/decision",
      { draft: draft.draft, state: draft.state, accept: true, notes: notesOf([part], true), edited: { [file.note]: edit.text }, confirmed, ...commented(commentId) },
      `Accepted with your text: ${file.path}.`, commentId, () => edits.delete(id));
    if (file.warnings.length === 0) {
      answer([]);
      return;
    }
    const why = make("p", {}, "The agent's text has these warnings. Your text has them too, unless you removed the lines that they name.");
    const go = make("button", { type: "button", class: "accept", click: (event) => {
      if (isMisled(event)) return;
      byId("question").close();
      answer(idsOf(file.warnings));
    } }, "Accept my text");
    openDialog(draft.state, `Accept ${file.path} with your text?`, [why, make("ul", {}, ...warningItems(file.warnings))], go);
  };
  const cancel = async (event) => {
    if (isMisled(event)) return;
    const from = event.currentTarget.closest(".note").querySelector("button.edit");
    edits.delete(id);
    await refresh(from).catch((error) => notice(error.message));
  };
  const isCurrent = canEdit && edit.state === draft.state;
  const stale = isCurrent ? [] : [make("p", { class: "danger" }, "The note or its draft changed since you began to edit. Look at the changes as they are now, then press Edit to use your text for them.")];
  return [make("div", { class: "editor" }, ...stale,
    make("label", { for: id }, "All of the note, as you want it. Hidden characters are written as \\u{…}."), field,
    make("div", { class: "bar" }, make("span", {}, "This replaces all changes of the agent to this note."),
      make("button", { type: "button", class: "accept", click: accept, "data-focus": `Accept ${id}`, disabled: !isCurrent }, "Accept my text"),
      make("button", { type: "button", click: cancel, "data-focus": `Cancel ${id}` }, "Cancel")))];
}

/** Keeps the texts that the person edits valid if the draft changed, but not what it proposes for their notes. */
async function renewEdits(list) {
  for (const draft of list.drafts) {
    for (const file of draft.files) {
      const edit = edits.get(editKey(draft, file));
      if (!edit || edit.state === draft.state) continue;
      const now = await proposedText(draft, file).catch(() => null);
      if (now?.text === edit.proposed) edit.state = draft.state;
    }
  }
}

/** Shows the person's comments and texts for changes that are no longer on the page, until they discard them. */
function showWritten() {
  const all = [comments, edits].flatMap((map) => [...map].map(([id, written]) => ({ map, id, ...written })));
  const left = all.filter(({ id, text }) => !byId(id) && text.trim() !== "");
  const elements = left.map(({ map, id, label, text }) => {
    const field = make("textarea", { readonly: true, rows: String(Math.min(8, text.split("\n").length)), "aria-label": label });
    field.value = text;
    const discard = make("button", { type: "button", click: () => { map.delete(id); showWritten(); } }, "Discard");
    return make("div", { class: "editor" }, field, make("div", { class: "bar" }, make("span", {}, ...shown(label)), discard));
  });
  const section = byId("written");
  section.hidden = elements.length === 0;
  section.replaceChildren(section.firstElementChild, ...elements);
}

// A reload keeps it too.
addEventListener("pagehide", () => sessionStorage.setItem("written", JSON.stringify([[...comments], [...edits]])));
function restoreWritten() {
  const [typed, edited] = JSON.parse(sessionStorage.getItem("written") ?? "[[],[]]");
  typed.forEach(([id, written]) => comments.set(id, written));
  edited.forEach(([id, written]) => edits.set(id, written));
}

// ---- Approvals and completed changes ----

function approvalElement(approval) {
  const answer = (approve) => (event) => {
    if (!isMisled(event)) send("/approval", { id: approval.id, approve }, `${approve ? "Approved" : "Denied"}: ${approval.command}.`);
  };
  return make("article", { class: "approval", "aria-label": `Approval ${approval.id}` },
    make("pre", { tabindex: "0" }, ...shown(approval.text)),
    make("div", { class: "bar" }, make("span", {}, ...shown(approval.command)),
      make("button", { type: "button", class: "accept", click: answer(true), "data-focus": `Approve ${approval.id}` }, "Approve"),
      make("button", { type: "button", class: "reject", click: answer(false), "data-focus": `Deny ${approval.id}` }, "Deny")));
}

/** A completed run, with a button to undo it. */
function runElement(run) {
  const undo = async (event) => {
    if (isMisled(event)) return;
    try {
      notice();
      const { text } = await ask("/undo", { run: run.run, dryRun: true });
      const go = make("button", { type: "button", class: "accept", click: (event) => {
        if (isMisled(event)) return;
        byId("question").close();
        send("/undo", { run: run.run }, `Undone: ${run.what}.`);
      } }, "Undo");
      openDialog(null, "Undo this change?", [make("pre", { tabindex: "0" }, ...shown(text))], go);
    } catch (error) {
      notice(error.message);
    }
  };
  const button = run.canUndo ? [make("button", { type: "button", class: "undo", click: undo, "data-focus": `Undo ${run.run}` }, "Undo",
    make("span", { class: "for-readers" }, ` ${run.what} of ${time(run.at)}`))] : [];
  return make("li", {}, make("span", {}, `${time(run.at)}: `, ...shown(run.what), " by ", ...shown(run.by), ...(run.state === "done" ? [] : [` (${run.state})`]), ". ",
    ...(run.files ? [outside(run.files)] : [])), ...button);
}

// ---- The question before an answer ----

/** Asks before an answer. `state` is that of the draft in question. */
function openDialog(state, title, content, go) {
  dialogState = state;
  byId("question-title").replaceChildren(...shown(title));
  byId("question-content").replaceChildren(...content);
  byId("question-answers").replaceChildren(make("button", { type: "button", click: () => byId("question").close() }, "Cancel"), go);
  byId("question").showModal();
  byId("question-title").focus();
}
byId("question").addEventListener("close", () => { dialogState = null; });

// ---- The page ----

/** Whether a click was meant for what was at this place before: the second one of a double click, or one without
    a move of the pointer since the page changed by itself. A button that is pressed by a key has no such place. */
function isMisled(event) {
  if (event.detail === 0) return false;
  if (event.detail > 1) return true;
  if (!hasPointerMoved) notice("The page changed under the pointer. Look again.");
  return !hasPointerMoved;
}
document.addEventListener("pointermove", () => { hasPointerMoved = true; });
document.addEventListener("pointerdown", (event) => { if (event.pointerType !== "mouse") hasPointerMoved = true; });

/** Shows a list. `from` is where the person answered, if this is the result of that; else the page changes by itself. */
function show(list, from) {
  const active = from ?? document.activeElement;
  const isOwn = from !== undefined;
  const focus = active?.dataset?.focus;
  const field = /^(comment|edit)-/.test(active?.id) ? [active.id, active.selectionStart, active.selectionEnd] : null;
  const isInChange = Boolean(active?.closest?.(".change"));
  const last = changes[current]?.dataset.focus;
  const anchor = changes.find((change) => change.getBoundingClientRect().bottom > 0);
  const before = anchor?.getBoundingClientRect().top;
  byId("drafts").replaceChildren(...list.drafts.map(draftElement));
  byId("warnings").replaceChildren(...list.warnings.map((text) => make("p", { class: "danger" }, ...shown(text))));
  const approvals = byId("approvals");
  approvals.hidden = list.approvals.length === 0;
  approvals.replaceChildren(approvals.firstElementChild, ...list.approvals.map(approvalElement));
  byId("runs").hidden = list.runs.length === 0;
  byId("runs").lastElementChild.replaceChildren(...list.runs.map(runElement));
  changes = [...document.querySelectorAll(".change")];
  const at = (key) => document.querySelector(`[data-focus="${CSS.escape(key ?? "")}"]`);
  const found = changes.indexOf(at(last));
  current = found >= 0 ? found : Math.max(0, Math.min(current, changes.length - 1));
  const same = anchor && at(anchor.dataset.focus);
  if (same) scrollBy(0, same.getBoundingClientRect().top - before);
  if (field && byId(field[0])) {
    byId(field[0]).focus({ preventScroll: true });
    byId(field[0]).setSelectionRange(field[1], field[2]);
  } else if (field || (focus && !at(focus))) {
    // A key must not answer a change that took the place of the one with the focus.
    const next = isOwn && isInChange ? changes[current] : undefined;
    (next ?? byId("main")).focus({ preventScroll: next === undefined });
    if (!isOwn) notice("The change that you were looking at is different now, or gone. Look again.");
  } else if (focus) {
    at(focus).focus({ preventScroll: true });
  }
  changes[current]?.classList.toggle("current", document.activeElement === changes[current]);
  if (!isOwn) rest();
  if (dialogState && !list.drafts.some((draft) => draft.state === dialogState)) {
    byId("question").close();
    notice("The draft changed while you were asked. Look again.");
  }
  showWritten();
  const files = list.drafts.reduce((sum, draft) => sum + draft.files.length, 0);
  const waits = files + list.approvals.length === 0 ? "Nothing to review."
    : `${plural(files, "file")} in ${plural(list.drafts.length, "draft")}, ${plural(list.approvals.length, "approval")}.`;
  byId("summary").textContent = `${done}Vault ${list.vault}. ${waits}`;
  document.title = files + list.approvals.length > 0 ? `(${files + list.approvals.length}) Review – vault-gw` : "Review – vault-gw";
}

/** Disables the buttons for a moment, so that a click does not hit a button that has just moved there. */
function rest() {
  hasPointerMoved = false;
  const buttons = [...document.querySelectorAll(ANSWERS)].filter((button) => !button.disabled);
  buttons.forEach((button) => { button.disabled = true; });
  setTimeout(() => buttons.forEach((button) => { button.disabled = busy; }), REST);
}

function moveTo(index) {
  if (index < 0 || index >= changes.length) return;
  changes[current]?.classList.remove("current");
  current = index;
  changes[current].classList.add("current");
  changes[current].focus();
  changes[current].scrollIntoView({ block: "nearest" });
}

function notice(text) {
  byId("notice").hidden = !text;
  byId("notice").replaceChildren(...shown(text ?? ""));
}

async function ask(path, body) {
  const options = { headers: { "x-review-key": key ?? "" }, credentials: "same-origin", redirect: "error" };
  if (body) {
    options.method = "POST";
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  if (answer.headers.get("content-type") !== "application/json") throw new Error(await answer.text());
  const data = await answer.json();
  if (data?.error) throw new Error(data.error.message);
  return data;
}

async function refresh(from) {
  missed = false;
  const list = await ask("/waiting");
  const text = JSON.stringify(list);
  // The event of the person's own answer brings nothing new.
  if (from === undefined && text === shownText) return;
  await renewEdits(list);
  shownText = text;
  show(list, from);
}

/** Sends a decision, shows the message for it, and reads the list again. */
async function send(path, body, message, commentId, whenDone) {
  if (busy) return;
  busy = true;
  const from = document.activeElement;
  document.querySelectorAll(ANSWERS).forEach((button) => { button.disabled = true; });
  let isDone = false;
  let unconfirmed;
  done = "";
  try {
    notice();
    const outcome = await ask(path, body);
    unconfirmed = outcome?.confirm;
    isDone = !unconfirmed;
    if (isDone) {
      done = `${message} `;
      comments.delete(commentId);
      whenDone?.();
    } else shownText = "";
    if (outcome?.warnings.length > 0) notice(outcome.warnings.join(" "));
  } catch (error) {
    notice(error.message);
    // All of it is shown again.
    shownText = "";
  }
  busy = false;
  try {
    await refresh(isDone ? from : undefined);
    if (missed) await refresh();
  } catch (error) {
    notice(error.message);
    return;
  }
  if (!unconfirmed) return;
  // The chosen changes have warnings that the whole draft does not have.
  const go = make("button", { type: "button", class: "accept", click: (event) => {
    if (isMisled(event)) return;
    byId("question").close();
    send(path, { ...body, confirmed: idsOf(unconfirmed) }, message, commentId, whenDone);
  } }, "Accept with these warnings");
  const items = unconfirmed.map((warning) => make("li", { class: "danger" }, outside(warning.path), ": ", ...warningWords(warning)));
  openDialog(body.state, "Accept this?", [make("ul", {}, ...items)], go);
}

/** Listens for changes until the server ends. */
async function follow() {
  const answer = await fetch("/events", { headers: { "x-review-key": key }, credentials: "same-origin" });
  if (!answer.ok) throw new Error(await answer.text());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const isNews = text.includes("event: changed");
    text = text.slice(text.lastIndexOf("\n\n") + 1);
    if (isNews && busy) missed = true;
    else if (isNews) await refresh();
  }
}

/** The button for a change. The only change of a file has that of the file. */
const answerButton = (change, kind) => change?.querySelector(`button.${kind}`) ?? change?.closest(".note").querySelector(`button.${kind}`);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input[type=text], textarea, dialog");
  if (event.key === "Escape" && event.target.matches("input[type=text]")) changes[current]?.focus();
  if (isTyping || !byId("keys").checked || event.repeat && !"jk".includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  // Only a change that has the focus and can be seen is answered.
  const change = event.target.matches(".change") ? event.target : null;
  const { top, bottom } = change?.getBoundingClientRect() ?? {};
  if (change && "ar".includes(event.key) && (bottom < 0 || top > innerHeight)) {
    change.scrollIntoView({ block: "nearest" });
    return;
  }
  const act = {
    j: () => moveTo(change ? current + 1 : current),
    k: () => moveTo(change ? current - 1 : current),
    a: () => answerButton(change, "accept")?.click(),
    r: () => answerButton(change, "reject")?.click(),
    c: () => change && byId(change.dataset.comment).focus(),
    "?": () => byId("help").showModal(),
  }[event.key];
  if (act) { event.preventDefault(); act(); }
});
document.addEventListener("focusin", (event) => {
  const index = changes.indexOf(event.target.closest(".change"));
  if (index < 0) return;
  changes[current]?.classList.remove("current");
  current = index;
  changes[current].classList.add("current");
});
byId("open-help").addEventListener("click", () => byId("help").showModal());

(async () => {
  try {
    const token = location.hash.slice(1);
    // The token works once, and stays neither in the address bar nor in the history.
    if (/^[0-9a-f]{64}$/.test(token)) {
      history.replaceState(null, "", "/");
      sessionStorage.setItem("key", (await ask("/session", { token })).key);
    }
    key = sessionStorage.getItem("key");
    restoreWritten();
    await refresh();
    for (;;) {
      await follow();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await refresh();
    }
  } catch (error) {
    notice(error instanceof TypeError ? "The server of this page has stopped. Start it again with `vault-gw review --web`." : error.message);
    if (document.querySelectorAll(".note, .approval").length === 0) byId("summary").textContent = "";
  }
})();
