// Messages of the package, in the words of the command line: its user has options, and no program to set them in.

const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /'[\w/]+' got no JSON-RPC response: \S+ answered HTTP (\d+) \(text\/html[^)]*\)(?:; body: .*)?/gs,
    'a web page answered (HTTP $1), not an MCP server',
  ],
  [/,? or raise connectTimeoutMs/g, ''],
  [/\. Set maxLineBytes to raise the limit/g, ''],
  [/ and those in env\b/g, ' and those of --env'],
  [/\bcwd is not a directory/g, 'the folder to start it in does not exist'],
  [
    /command is the program alone; put its arguments into args, as in \{.*?\}/g,
    'Write its arguments as words of their own',
  ],
  [/\. Set allowPrivateAddresses if that is intended/g, ''],
  [
    /\. Set assumePkce if it supports PKCE all the same/g,
    '. Use mcpwire login --assume-pkce if it supports PKCE all the same',
  ],
]

export function inOwnWords(message: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message)
}
