// Stands between the conformance suites and the server under test, at a port of the loopback address.
//
//   node front.mjs PORT TOKEN SERVER_PORT   adds a bearer token, of which the suites know nothing
//   node front.mjs PORT HOME COMMAND...     HTTP with sessions for the suites, a process on pipes for each session
//
// What a process sends besides answers goes to the request that was begun last, as in the protocol's own servers. An
// answer that does not come in time is an error, which the suites show.
import { spawn } from 'node:child_process';
import http from 'node:http';
import { createInterface } from 'node:readline';

const PATIENCE = 60_000;
const TOO_LATE = `the server did not answer within ${PATIENCE / 1000} s`;
const [port, first, second, ...words] = process.argv.slice(2);
const sessions = new Map();
let begun = 0;

function passOn(request, response) {
  const headers = { ...request.headers, authorization: `Bearer ${first}` };
  const { method, url: path } = request;
  const onward = http.request({ host: '127.0.0.1', port: second, method, path, headers }, (answer) => {
    clearTimeout(late);
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  const late = setTimeout(() => onward.destroy(new Error(TOO_LATE)), PATIENCE);
  onward.on('error', ({ message }) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(504).end(message);
  });
  // The client going away ends the server's answer too.
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function fail({ id, response, late }, message) {
  clearTimeout(late);
  const answer = { jsonrpc: '2.0', id, error: { code: -32603, message } };
  response.end(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
}

function begin() {
  const child = spawn(second, words, { env: { HOME: first }, stdio: ['pipe', 'pipe', 'ignore'] });
  const session = { id: String((begun += 1)), child, waiting: [] };
  sessions.set(session.id, session);
  child.stdin.on('error', () => {}); // It has ended.
  child.on('exit', () => {
    sessions.delete(session.id);
    session.waiting.splice(0).forEach((one) => fail(one, 'the server has ended'));
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    let id, method;
    try {
      ({ id, method } = JSON.parse(line));
    } catch {
      return; // No message: the suites test the server, not this.
    }
    const { waiting } = session;
    const place = method === undefined ? waiting.findIndex((one) => one.id === id) : waiting.length - 1;
    waiting[place]?.response.write(`event: message\ndata: ${line}\n\n`);
    if (method === undefined && place >= 0) {
      const [{ late, response }] = waiting.splice(place, 1);
      clearTimeout(late);
      response.end();
    }
  });
  return session;
}

async function bridge(request, response) {
  const id = request.headers['mcp-session-id'];
  const known = sessions.get(id);
  const reply = (status) => response.writeHead(status).end();
  if (request.method === 'DELETE' && known) {
    known.child.kill();
    sessions.delete(id);
    return reply(200);
  }
  if (request.method !== 'POST') return reply(405);
  if (id !== undefined && !known) return reply(404);
  const text = (await request.toArray()).join('');
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return reply(400);
  }
  const session = known ?? begin();
  if (message.method === undefined || message.id === undefined) {
    reply(202);
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session.id });
    const one = { id: message.id, response };
    one.late = setTimeout(() => {
      session.waiting.splice(session.waiting.indexOf(one), 1);
      fail(one, TOO_LATE);
    }, PATIENCE);
    session.waiting.push(one);
  }
  session.child.stdin.write(`${JSON.stringify(message)}\n`);
}

http.createServer(words.length ? bridge : passOn).listen(Number(port), '127.0.0.1', () => console.log('ready'));
