// Messages of the package, in the words of the command line: its user has options, and no program to set them in.

const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /'[\w/]+' got no JSON-RPC response: \S+ answered HTTP (\d+) \(text\/html[^)]*\)(?:; body: .*)?/gs,
    'a web page answered (HTTP $1), not an MCP server',
  ],
  // Two transports were tried: the first answer says as much as both.
  [
    /Could not connect to (\S+): There is no MCP server at this URL\. Streamable HTTP: (.*?)\. HTTP\+SSE: .*/gs,
    'There is no MCP server at $1: $2',
  ],
  // The URL has been named, and what came of it is what counts.
  [/\b(to|at) (\S+): No complete response from \2: /g, '$1 $2: '],
  [/(\S+) cannot be fetched: No complete response from \1: /g, '$1 cannot be fetched: '],
  [/\b(to|at) (\S+): (?:The server rejected '[\w/]+': )?\2 answered HTTP /g, '$1 $2: HTTP '],
  [/ \(no content type\)/g, ''],
  // The second line says what to do.
  [/; check (?:that|its|the|your) [\w, ]+(?=$|\.|; body: )/g, ''],
  [/\. Check that it is installed, and on the PATH that is passed to it/g, ''],
  [/\. Check its arguments and its environment, which contains only a few default variables and those in env/g, ''],
  [/\. Use the final URL\.$/g, '.'],
  [
    /This client cannot be asked: it did not declare ([\w.]+)\./g,
    "The server asked for input ($1), and this command can't answer.",
  ],
  // Of Node itself.
  [/^listen EADDRINUSE: address already in use (\S+)$/g, 'Cannot listen on $1: the port is in use'],
  [/^listen (E[A-Z]+): .*? (\S+)$/g, 'Cannot listen on $2: $1'],
  [/; choose another one, or 0 for any free port/g, ''],
  [/,? or raise connectTimeoutMs/g, ''],
  [
    /\. (?:Set the option on[\w, ]+ of the client|A client of mcpwire declares it with the option on[\w, ]+)(?=\.)/g,
    '',
  ],
  [/\. Set maxLineBytes to raise the limit/g, ''],
  [/\bcwd is not a directory/g, 'the folder to start it in does not exist'],
  [
    /command is the program alone; put its arguments into args, as in \{.*?\}/g,
    'Write its arguments as words of their own',
  ],
  [/\. Set allowPrivateAddresses if that is intended/g, ''],
  // The command has no such option.
  [/\. Add that origin to metadataOrigins if it is correct/g, ', so that mcpwire does not log in there'],
  [/\. Use mode '\w+' or '\w+' to connect to it/g, ''],
  [/\bUnsupported protocol version$/g, 'The server does not speak the revisions that this connection allows'],
  [
    /\. Set assumePkce if it supports PKCE all the same/g,
    '. Use mcpwire login --assume-pkce if it supports PKCE all the same',
  ],
]

export function inOwnWords(message: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message)
}
