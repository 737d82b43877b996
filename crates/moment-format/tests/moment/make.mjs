// Writes tokens-en.tsv, patterns-en.tsv and humanize-en.tsv with the real moment.
// Usage: see README.md in this folder.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.cwd(), "here.js"));
// A moment of its own for each zone, because it keeps the first instant of an era as the zone had
// it at the first use.
const moments = new Map();
const momentIn = (zone) => {
  process.env.TZ = zone;
  if (!moments.has(zone)) {
    delete require.cache[require.resolve("moment")];
    moments.set(zone, require("moment"));
  }
  return moments.get(zone);
};
const moment = momentIn("UTC");
if (moment.version !== "2.30.1") throw new Error(`moment ${moment.version}`);

const here = dirname(fileURLToPath(import.meta.url));

// Every token of the tokeniser, one column each.
const TOKENS = (
  "Hmm Hmmss hmm hmmss Mo M MM MMM MMMM Do D DD DDDo DDD DDDD d do dd ddd dddd e E " +
  "w wo ww W Wo WW Q Qo Y YY YYYY YYYYY YYYYYY y yy yyy yyyy yo N NN NNN NNNN NNNNN " +
  "gg gggg ggggg GG GGGG GGGGG a A h hh H HH k kk m mm s ss " +
  "S SS SSS SSSS SSSSS SSSSSS SSSSSSS SSSSSSSS SSSSSSSSS x X z zz Z ZZ " +
  "LT LTS L LL LLL LLLL l ll lll llll"
).split(" ");

// Local times, each in one zone: [zone, time].
const TIMES = [];
const at = (zone, ...times) => times.forEach((time) => TIMES.push([zone, time]));

// Both sides of every new year, where the weeks of the two calendars part.
for (let year = 1998; year <= 2027; year += 1) {
  at("UTC", `${year}-12-31T23:59:59.999`, `${year + 1}-01-01T00:00:00.000`);
}
// Edges of ISO weeks and of Sunday weeks.
at("UTC", "2004-12-26T12:00", "2004-12-27T12:00", "2005-01-02T12:00", "2005-01-03T12:00");
at("UTC", "2008-12-28T12:00", "2008-12-29T12:00", "2010-01-03T12:00", "2010-01-04T12:00");
at("UTC", "2024-12-29T12:00", "2024-12-30T12:00", "2026-12-27T12:00", "2027-01-03T12:00");
// Leap days, their neighbours, and the years that are none.
at("UTC", "2024-02-28T01:02:03.004", "2024-02-29T07:05:09.040", "2024-03-01T00:00:00.400");
at("UTC", "2023-02-28T23:59", "2023-03-01T00:00", "2000-02-29T12:34:56.789", "1900-03-01T09:09:09");
at("UTC", "2100-02-28T10:10:10.010", "2100-03-01T11:11:11.111");
// Every month, days with every ordinal ending, hours around midnight and noon.
for (let month = 1; month <= 12; month += 1) {
  const pad = (number) => String(number).padStart(2, "0");
  at("UTC", `2025-${pad(month)}-${pad(month + 9)}T${pad(month + 11)}:0${month % 10}:${pad(month * 4)}.${pad(month)}5`);
}
for (const day of ["01", "02", "03", "04", "11", "12", "13", "20", "21", "22", "23", "24", "30", "31"]) {
  at("UTC", `2025-07-${day}T06:07:08`);
}
for (const hour of ["00", "01", "09", "10", "11", "12", "13", "21", "22", "23"]) {
  at("UTC", `2026-11-21T${hour}:30:00`);
}
// Zones: east, west, half and quarter hours, daylight saving, before the standard times.
at("Asia/Kolkata", "2021-01-03T17:30:00.999", "1969-12-31T23:59:59.999");
at("America/St_Johns", "1969-12-31T20:29:59.500", "2024-07-01T00:00", "2024-12-01T00:00");
at("America/New_York", "2020-12-31T18:59:59.001", "2024-03-10T03:00", "2024-11-03T01:30", "1880-05-31T23:03:58");
at("Asia/Kathmandu", "2024-04-13T05:45", "2024-12-31T23:59");
at("Pacific/Kiritimati", "2025-01-01T00:00", "1999-12-31T23:59:59");
at("Pacific/Pago_Pago", "2024-12-31T12:00", "2016-02-29T08:09:10");
at("Europe/Amsterdam", "1960-06-01T05:03:02.001", "2024-03-31T03:00", "2024-10-27T02:30", "1910-01-02T03:04:05");
// Early years, and those before year 1.
at("UTC", "0000-01-01T12:00", "-000001-12-31T12:00", "0007-06-05T04:03:02", "0099-12-31T12:00", "0999-01-01T00:00");
at("UTC", "-000044-03-15T12:00", "-009000-07-07T07:07:07", "9998-12-31T23:59:59.999", "1582-10-15T00:00");
at("UTC", "1970-01-01T00:00", "1969-12-31T23:59:59.500", "2038-01-19T03:14:08");

// Patterns that are more than one token.
const PATTERNS = [
  "", " ", "YYYY-MM-DD", "YYYYMMDDHHmm", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "gggg-[W]ww", "GGGG-[W]WW", "[Week] w, gggg",
  "dddd, MMMM Do, YYYY", "YYYY-MM-DD[T]HH:mm:ss.SSSZ", "h:mm a", "hh:mm A", "kk:mm", "[Q]Q YYYY", "[Today is] dddd",
  "YYYY-[Q]Q/YYYY-MM", "DDDD/YYYY", "X.SSS", "LT|LTS|L|LL|LLL|LLLL|l|ll|lll|llll", "[LT] \\LT \\llll lllll LLLLL",
  "[a]YYYY]b", "[[YYYY]]", "[]YYYY[", "[unclosed YYYY", "\\YYYY \\[YYYY] \\\\YYYY \\", "YYYY\nMM\n[x\ny]\r\nDD",
  "YYY MMMMM DDDDD ddddd wwww w| W|M QQ ggg g GGG", "SSSSSSSSSS NNNNNN yyyyy HHH kkk zzz ZZZ", "Tt f é 日 😀 YYYY年M月D日",
  "LTSL LLT lL", "DoMo DDDoDDD", "hmmssHmmssHmmhmm", "YYYYYYY", "YYYYYYYYYY", "ggggggg GGGGGGG", "Yo yo YYo", "eo Eo ee EE",
  "aa AA hhh Hmmm mmm sss xx XX", "w||W||wo|Wo|", "[w|]w|", "\\[[YYYY]\\]", "]YYYY[", "[YYYY]][MM]", "\\\\[YYYY]", "\\é\\ \\😀",
];

// Random ones of a fixed seed.
let state = 20240229;
const random = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * limit);
};
const PARTS = [...TOKENS, ..."[]\\|-/:. ,oTtuqéL".split(""), "[at]", "[[", "]]", "\\[", "年", "😀", "\u2028", "\n"];
for (let count = 0; count < 500; count += 1) {
  let pattern = "";
  for (let parts = 2 + random(8); parts > 0; parts -= 1) pattern += PARTS[random(PARTS.length)];
  PATTERNS.push(pattern);
}

const cell = (text) =>
  text.replaceAll("\n", "␊").replaceAll("\r", "␍").replaceAll("\u2028", "␤");
const instant = ([zone, time]) => {
  const there = momentIn(zone)(new Date(time));
  const date = there.toDate();
  // The offset with its seconds, which getTimezoneOffset rounds away.
  const local = new Date(0);
  local.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  local.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds());
  return [there, `${+date}\t${(+local - +date) / 1000}`];
};

const tokens = [["milliseconds", "offset", ...TOKENS].join("\t")];
for (const time of TIMES) {
  const [there, name] = instant(time);
  tokens.push([name, ...TOKENS.map((token) => cell(there.format(token)))].join("\t"));
}
writeFileSync(join(here, "tokens-en.tsv"), tokens.join("\n") + "\n");

const patterns = ["milliseconds\toffset\tpattern\ttext"];
PATTERNS.forEach((pattern, index) => {
  for (const time of [TIMES[(index * 7) % TIMES.length], TIMES[(index * 13 + 5) % TIMES.length]]) {
    const [there, name] = instant(time);
    patterns.push([name, cell(pattern), cell(there.format(pattern))].join("\t"));
  }
});
writeFileSync(join(here, "patterns-en.tsv"), patterns.join("\n") + "\n");

// Durations in milliseconds: both sides of every threshold, the rounding halves, and random ones.
const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const MONTH = (DAY * 146097) / 4800;
const durations = new Set([0, 1, 400, 499, 500, 999, 1000]);
const around = (value) => [-1000, -501, -500, -499, -1, 0, 1, 499, 500, 501, 1000].forEach((by) => durations.add(Math.round(value + by)));
[44, 44.5, 45, 89, 89.5, 90, 91].forEach((count) => around(count * SECOND));
[1, 1.5, 2, 2.5, 44, 44.5, 45, 89.5, 90].forEach((count) => around(count * MINUTE));
[1, 1.5, 2, 2.5, 21, 21.5, 22, 23.5, 24, 35.5, 36].forEach((count) => around(count * HOUR));
[1, 1.5, 2, 2.5, 7, 25, 25.5, 26, 30, 31, 45, 45.5, 46, 60, 365, 366, 547, 548, 730].forEach((count) => around(count * DAY));
[1, 1.5, 2, 2.5, 3.5, 9.5, 10, 10.5, 11, 11.5, 12, 17.5, 18, 18.5, 24, 30, 30.5, 120, 1206, 120000].forEach((count) => around(count * MONTH));
for (let exponent = 3; exponent < 15; exponent += 1) {
  for (let count = 0; count < 12; count += 1) durations.add(Math.floor(10 ** exponent * (1 + random(9000) / 1000)));
}
const humanized = ["milliseconds\ttext\twith suffix\tnegative with suffix"];
for (const milliseconds of [...durations].sort((a, b) => a - b)) {
  if (milliseconds < 0) continue;
  const [duration, negative] = [moment.duration(milliseconds), moment.duration(-milliseconds)];
  if (negative.humanize() !== duration.humanize()) throw new Error(`${milliseconds} is not symmetric`);
  humanized.push([milliseconds, duration.humanize(), duration.humanize(true), negative.humanize(true)].join("\t"));
}
writeFileSync(join(here, "humanize-en.tsv"), humanized.join("\n") + "\n");

const count = (TIMES.length * TOKENS.length) + (PATTERNS.length * 2);
console.log(`${TIMES.length} times, ${TOKENS.length} tokens, ${count} texts, ${humanized.length - 1} durations`);
