
import ctypes, json, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
home = os.environ['HOME']
def tried(name, work):
    try:
        work()
        print('try', name, 'ok', file=sys.stderr)
    except OSError as error:
        print('try', name, error.errno, file=sys.stderr)
def call(number, *arguments):
    def work():
        if libc.syscall(number, *arguments) < 0:
            raise OSError(ctypes.get_errno(), '')
    return work
def spawn():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
tried('read-ssh-key', lambda: open(home + '/.ssh/id_ed25519').read())
tried('write-home', lambda: open(home + '/planted', 'w'))
tried('write-settings', lambda: open(home + '/.config/vault-gw/settings.toml', 'a'))
tried('write-vault', lambda: open(home + '/../../Notes/planted.md', 'w'))
tried('list-home', lambda: os.listdir(home))
tried('tcp', lambda: socket.create_connection(('127.0.0.1', 9)))
tried('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
tried('signal-parent', lambda: os.kill(os.getppid(), 18))
tried('fork', spawn)
tried('program', lambda: os.execv('/usr/bin/id', ['id']))
tried('memory-file', lambda: os.memfd_create('x'))
tried('io-uring', call(425, 4, ctypes.create_string_buffer(256)))
tried('add-key', call(248 if os.uname().machine == 'x86_64' else 217, b'user', b'x', b'x', 1, -3))
tried('end', lambda: None)
wire = socket.socket(socket.AF_UNIX)
wire.connect(os.environ['XDG_RUNTIME_DIR'] + '/.obsidian-cli.sock')
question = {'argv': sys.argv[1:], 'tty': False, 'cwd': '/'}
wire.sendall(json.dumps(question).encode() + b'\n')
while data := wire.recv(4096):
    os.write(1, data)
