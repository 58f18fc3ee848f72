// Rows without a test, each with the reason.

const NO_DURABLE_STORE = 'no durable store comes with the package: a host that brings one answers for it'

/** By id, or by the beginning of several ids. */
export const EXEMPTIONS: Readonly<Record<string, string>> = {
  'B-EXT-04': 'a matter of documentation: docs/tasks.md, docs/skills.md, docs/apps.md and docs/extensions.md',
  F209: NO_DURABLE_STORE,
  F210: NO_DURABLE_STORE,
  'B-META-03': 'the package has no domain: its one key begins with its name, which npm keeps unique',
  'B-SCHEMA-08': 'there is no such mode: no `$ref` is ever fetched (B-SCHEMA-06)',
  'C-LIFE-10':
    'the host pings when it wants to, with `sendPing` and a time limit; streams over HTTP are watched without pings (F158)',
  'C-STDIO-07':
    'not followed: what a restart may repeat only the host knows, so a server that exits is started by opening again (F027)',
  'C-STDIO-11': 'the host decides what a conversation is: a process lives until its client is closed',
  'S-PROG-05': 'the handler decides how often it reports; what waits for a slow reader is bounded (F037, F111)',
  'S-LOG-08': 'the handler decides how often it logs; what waits for a slow reader is bounded (F037, F111)',
  'S-LOG-07': "what a message says is the author's; what the package itself writes to logs is redacted (F204)",
  'C-PAG-05': 'nothing keeps a cursor: it lives in the loop that reads the pages, and ends with it',
  'S-TOOL-13': "which capabilities a server has is its author's choice",
  'S-ELIC-04': "what a form asks for is the author's; questions by URL are there for secrets (S-ELIC-07)",
  'C-SAMP-07': "the loop with the model is the host's: the callback answers one question at a time",
  'C-REG-04': 'the document is published by the host: a client only names its URL (C-REG-03)',
  R28: 'no proxy for authorization servers is part of the package',
  R47: 'an audit asks the registry, which no test may need; compressed bombs are F156',
  R51: 'links are never followed (F207); a digest of tool definitions is not offered, and a host can take one of the listing',
}

export function exemptionOf(id: string): string | undefined {
  return (
    EXEMPTIONS[id] ?? Object.entries(EXEMPTIONS).find(([start]) => start.endsWith('-') && id.startsWith(start))?.[1]
  )
}
