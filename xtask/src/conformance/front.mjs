// Stands between the conformance suites and the server under test, at a port of the loopback address.
//
//   node front.mjs PORT TOKEN SERVER_PORT   adds a bearer token, of which the suites know nothing
//   node front.mjs PORT HOME COMMAND...     HTTP with sessions for the suites, a process on pipes for each session
//
// What a process sends besides answers goes to the request that was begun last, as in the protocol's own servers.
import { spawn } from 'node:child_process';
import http from 'node:http';
import { createInterface } from 'node:readline';

const [port, first, second, ...words] = process.argv.slice(2);
const sessions = new Map();
let begun = 0;

function passOn(request, response) {
  const headers = { ...request.headers, authorization: `Bearer ${first}` };
  const { method, url: path } = request;
  const onward = http.request({ host: '127.0.0.1', port: second, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  // The client going away ends the server's answer too.
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function begin() {
  const child = spawn(second, words, { env: { HOME: first }, stdio: ['pipe', 'pipe', 'ignore'] });
  const session = { id: String((begun += 1)), child, waiting: [] };
  sessions.set(session.id, session);
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
    if (method === undefined && place >= 0) waiting.splice(place, 1)[0].response.end();
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
    session.waiting.push({ id: message.id, response });
  }
  session.child.stdin.write(`${JSON.stringify(message)}\n`);
}

http.createServer(words.length ? bridge : passOn).listen(Number(port), '127.0.0.1', () => console.log('ready'));
