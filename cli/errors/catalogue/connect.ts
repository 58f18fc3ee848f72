// Failures to reach a server, to start one, and to be let in.
import type { CatalogueEntry } from './entry.ts'

export const CONNECT = {
  'port-in-use': {
    class: 'TransportError',
    message: 'Cannot listen on <host>:<port>: the port is in use; choose another one, or 0 for any free port',
    cause: 'Another process listens on this port. Often it is an earlier run of the same server.',
    fix: ['End the other process.', 'Or set `port` to another number, or to 0 for any free port.'],
    onCommandLine: 'Use --port 0 for any free port, or end the process that uses this one.',
  },
  'address-not-available': {
    class: 'TransportError',
    message: 'Cannot listen on <host>:<port>: <code>',
    cause: 'The address in `host` is not one of this machine, or this user may not use the port.',
    fix: [
      "Set `host` to `'127.0.0.1'` for this machine only, or to `'0.0.0.0'` for all its addresses.",
      'Use a port above 1023 if the code is EACCES.',
    ],
    onCommandLine: 'Use --host with an address of this machine.',
  },
  'connection-refused': {
    class: 'ConnectError',
    message: 'No complete response from <url>: nothing accepts connections there',
    cause: 'The host is there, but no program listens on the port.',
    fix: [
      'Start the server.',
      'Check the port in the URL.',
      'In a container, use the name of the service instead of localhost.',
    ],
    onCommandLine: 'Start the server, or check the port.',
  },
  'host-not-found': {
    class: 'ConnectError',
    message: 'No complete response from <url>: the host name <problem>',
    cause: 'The name server does not know the host name of the URL, or it cannot be reached.',
    fix: ['Check the spelling of the host name.', 'Check the network and the proxy settings of this machine.'],
    onCommandLine: 'Check the host name and your network.',
  },
  'host-unreachable': {
    class: 'ConnectError',
    message: 'No complete response from <url>: the host <problem>',
    cause: 'No route leads to the host, or a firewall drops the packets.',
    fix: ['Check the network, the VPN and the firewall.', 'Check the address in the URL.'],
  },
  tls: {
    class: 'ConnectError',
    message: 'No complete response from <url>: the <part> of the server is not trusted (<code>)',
    cause:
      'The certificate has expired, belongs to another host or is signed by an authority that Node does not know. Or the port speaks plain HTTP.',
    fix: [
      'Use `http://` if the server has no TLS on this port.',
      'For an authority of your own, set the environment variable `NODE_EXTRA_CA_CERTS` to the file of its certificate.',
      'Renew a certificate that has expired.',
    ],
  },
  'http-error': {
    class: 'TransportError',
    message: '<url> answered HTTP <status>',
    cause: 'The server, or a proxy in front of it, answered with an error status and without a JSON-RPC error.',
    fix: [
      'Read the logs of the server.',
      'Wait and retry for 429, 502, 503 and 504. `error.retryAfterMs` has the time, where the server names one.',
    ],
    onCommandLine: 'Try again later, or read the logs of the server.',
    also: [
      'Could not connect to <url>: The server rejected <method>: <url> answered HTTP 503; the server is overloaded or starting',
      '<url> answered HTTP 502; a proxy did not reach the server',
      '<url> answered HTTP 504; a proxy gave up waiting for the server',
      '<url> answered HTTP 500; the server failed',
      '<url> answered HTTP 429; the server limits the rate of requests',
      '<url> answered HTTP 413; the message is too large for the server',
    ],
  },
  'not-an-mcp-server': {
    class: 'ConnectError',
    message: 'There is no MCP server at this URL. <details>',
    cause: 'Something answers at the URL, but not as an MCP endpoint does. Often the path is missing.',
    fix: ['Check the path of the URL. It is often `/mcp`.', 'Open the URL in a browser to see what answers.'],
    onCommandLine: 'Check the URL. The path is often /mcp.',
    also: [
      '<method> got no JSON-RPC response: <url> answered HTTP 200 (text/html)',
      '<url> answered HTTP 404; nothing is there; check the path of the URL',
      '<url> answered HTTP 405; the server does not accept this method; check that the URL is the MCP endpoint',
    ],
  },
  'redirect-refused': {
    class: 'ConnectError',
    message: 'The redirect (HTTP <status>) of <url> was not followed: <reason>. Use the final URL.',
    cause:
      'The server redirects to another origin, or in a way that would change the request. The client does not send tokens to another origin.',
    fix: ['Use the final URL.'],
  },
  unauthorized: {
    class: 'ConnectError',
    message: 'answered HTTP 401 <details>',
    cause: 'The server requires a token, and the request has none, or one that is no longer valid.',
    fix: [
      'Pass a token with the option `auth`.',
      "Or pass a provider that gets one, such as `oauth()` from `'mcpwire/auth'`.",
    ],
    onCommandLine: 'Run mcpwire login with the URL, or use --token.',
  },
  forbidden: {
    class: 'ConnectError',
    message: 'answered HTTP 403 <details>',
    cause:
      'The server knows the caller and refuses the request: the token lacks a scope, or the origin is not allowed.',
    fix: [
      'Get a token with the scopes that the server needs.',
      'Add the origin of a browser to `allowedOrigins` of the server.',
    ],
    onCommandLine: 'Run mcpwire login with the URL, or use --token.',
  },
  'login-failed': {
    class: 'OAuthError',
    message: 'Could not connect to <url>: <reason>',
    cause: 'A step of the authorization failed. `error.step` names the step, `error.code` the reason.',
    fix: [
      'Check `issuer`, `clientId` and `clientSecret`.',
      'Check that the redirect URI is registered at the authorization server.',
      'Delete the stored tokens and log in again for `invalid_grant`.',
    ],
    onCommandLine: 'Run mcpwire doctor with the URL to see which option the login needs, or use --token.',
  },
  'command-not-found': {
    class: 'ConnectError',
    message: "Cannot start '<command>' (<code>): <reason>",
    cause: 'The program does not exist, is not on the PATH of the client, or is not executable.',
    fix: [
      'Install the program, or use its absolute path.',
      "Put arguments into `args`: `{ command: 'node', args: ['server.js'] }`.",
      'Pass `env` with a PATH that has the program.',
    ],
    onCommandLine: 'Check the command, or install it.',
    also: [
      "Cannot start '<command>' (ENOENT): not found. Check that it is installed, and on the PATH that is passed to it",
    ],
  },
  'server-exited': {
    class: 'ConnectError',
    message: "The server process '<command>' <end>",
    cause: 'The server ended before it answered. The message has its exit code and the last lines of its stderr.',
    fix: [
      'Read the lines of stderr in the message.',
      'Run the command by hand.',
      'Pass the variables that the server needs with `env`. It gets only a few default ones.',
    ],
    onCommandLine: 'Run the command by hand to see why it exits. Use --env to pass variables to it.',
    also: [
      "The server process '<command>' exited with code <code> before it sent a message. Check its arguments and its environment",
      "The server process '<command>' was killed by <signal>",
    ],
  },
  'stdout-polluted': {
    class: 'ConnectError',
    message: 'lines that are not JSON to its standard output',
    cause:
      'On stdio, standard output belongs to the protocol. The server, or something that it starts, prints text there.',
    fix: [
      'Write logs to stderr with `console.error`.',
      'Start the server with `npx mcpwire run server.js`, which keeps all other output off the wire.',
      'Check that the command is an MCP server.',
    ],
    onCommandLine: 'Write logs to stderr, or start the server with mcpwire run, which keeps stdout clean.',
  },
  'server-silent': {
    class: 'ConnectError',
    message: 'Could not connect to <target>: it <problem> within <n> ms.',
    cause: 'The server runs or listens, but does not answer in time. Often npx is still downloading the package.',
    fix: ['Run the command by hand to see what it waits for.', 'Raise `connectTimeoutMs`.'],
    onCommandLine: 'Use --connect-timeout to wait longer.',
  },
  'version-unsupported': {
    class: 'UnsupportedProtocolVersionError',
    code: -32022,
    message: 'The server speaks <revisions> only.',
    cause: 'Client and server have no protocol revision in common, or `mode` excludes those of the server.',
    fix: [
      "Leave `mode` out, or set it to `'auto'`.",
      'Update the older of the two. `error.supported` lists the revisions of the server.',
    ],
    onCommandLine: 'Leave --mode out, or update the older of the two.',
  },
  'bad-target': {
    class: 'TypeError',
    message: 'The target is <kind>',
    cause: '`Client.connect` takes a server, a URL, `{ command }`, a transport or a channel.',
    causeOnCommandLine:
      'The target of a command is a URL, a file with a server, a folder, @name of a configured server, or a command after --.',
    fix: [
      "For a server on the network, pass its whole URL: `'http://localhost:3000/mcp'`.",
      "For a program, pass `{ command: 'node', args: ['server.js'] }`.",
    ],
  },
  'host-not-allowed': {
    class: 'HTTP 403',
    message: 'The Host is not allowed. Add it to allowedHosts.',
    cause:
      'The Host header is not one that the server accepts. This protects local servers from web pages that point a name of theirs at your machine.',
    fix: ['Add the host name that clients use to `allowedHosts`.'],
  },
  'origin-not-allowed': {
    class: 'HTTP 403',
    message: 'The Origin is not allowed. Add it to allowedOrigins.',
    cause: 'A web page of another origin sent the request. Browsers send the Origin header, other clients do not.',
    fix: ['Add the origin of the page to `allowedOrigins`, as in `https://app.example.com`.'],
  },
  'session-unknown': {
    class: 'HTTP 404',
    message: 'Session not found. Start a new session with initialize.',
    cause: 'The session of a legacy client has expired, was closed, or belongs to a process that has restarted.',
    fix: [
      'A client of mcpwire starts a new session by itself. Other clients send `initialize` again.',
      'Set `backend` on the server, so that sessions survive a restart and are known to all nodes.',
    ],
  },
  'bad-command': {
    class: 'TypeError',
    message: 'command must be the name of a program',
    cause: '`command`, `args`, `cwd` or `env` has a value that no program can be started with.',
    fix: ["Pass the program and its arguments apart: `{ command: 'node', args: ['server.js'] }`."],
  },
  'bad-header': {
    class: 'TypeError',
    message: '<name> is not a valid header name.',
    cause: 'A header or a token cannot be sent over HTTP, or the transport sets the header itself.',
    fix: ['Correct or remove the header that the message names.', 'Pass a token as `auth`, without "Bearer ".'],
  },
  'bad-server-config': {
    class: 'TypeError',
    message: '<entry> must have either command or url',
    cause: 'A file or object with servers is not valid JSON, or one of its entries is incomplete.',
    fix: ['Give the entry that the message names a `command` with `args`, or a `url`.'],
  },
} as const satisfies Record<string, CatalogueEntry>
