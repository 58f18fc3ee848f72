// What an extension can do on the server: declare itself, answer, listen, register, and change how tools are answered.
import type { RequirementTable } from './entry.ts'
import { DIRECT, LEGACY, MODERN } from './scopes.ts'

export const SERVER_EXTENSIONS = {
  'server-extension:declared': {
    source: 'EX-02; B-EXT-01; spec digest Q27',
    text: 'An extension is declared with its settings, beside what the author declares.',
  },
  'server-extension:declared:revisions': {
    source: 'extensions digest 3.14',
    text: 'An extension that some revisions have is not declared in the others, and does nothing there.',
  },
  'server-extension:none-by-default': {
    source: 'B-EXT-03',
    text: 'A server without extensions declares none.',
  },
  'server-extension:requests': {
    source: 'EX-03; B-EXT-06',
    text: 'The methods of an extension are answered to clients that declared it.',
  },
  'server-extension:client-must-declare': {
    source: 'EX-05; B-EXT-02; S-TASK-02',
    text: 'A client that did not declare the extension is refused by name, unless the method is open to all.',
  },
  'server-extension:revisions': {
    source: 'EX-03',
    text: 'A method that an extension has in some revisions does not exist in the others.',
  },
  'server-extension:notifications': {
    source: 'EX-02; spec digest 8.1',
    text: 'An extension hears its notifications.',
  },
  'server-extension:client-settings': {
    source: 'EX-08; B-APPS-01',
    text: 'A handler reads the settings with which the client declared the extension.',
  },
  'server-extension:registrations': {
    source: 'EX-02; EX-06; B-APPS-01',
    text: 'Tools, resources and prompts of an extension belong to the server, with all their `_meta`.',
  },
  'server-extension:tool-calls': {
    source: 'EX-04',
    text: 'Extensions stand around the calls of tools, in order and inside all middleware, with params that fit.',
  },
  'server-extension:tool-calls:checked-first': {
    source: 'extensions digest 3.14; traps X-22',
    text: 'An extension sees only calls of tools that the caller may use, with arguments that fit; what it passes on is checked too.',
  },
  'server-extension:other-params': {
    source: 'extensions digest 3.14',
    text: 'The tool that an extension calls with other params sees a context of these params.',
  },
  'server-extension:tool-calls:result-checked': {
    source: 'EX-04',
    text: 'What an extension answers a call with is checked like any other result.',
  },
  'server-extension:middleware': {
    source: 'api section 7',
    text: "The middleware of an extension stands around all messages, inside the author's.",
  },
  'server-extension:result-types': {
    ...MODERN,
    source: 'S-VER-13; S-TASK-01; S-TASK-02',
    text: 'Results of an extension go to clients that declared it, and the others are told what they lack.',
  },
  'server-extension:result-types:tools-only': {
    ...MODERN,
    source: 'spec digest 8.2',
    text: 'Nothing but a call of a tool is answered with a result of an extension.',
  },
  'server-extension:result-types:modern-only': {
    ...LEGACY,
    source: 'S-VER-13',
    text: 'Revisions without result types get no results of extensions.',
  },
  'server-extension:conflicts': {
    ...DIRECT,
    source: 'EX-03; CE-02; CE-09',
    text: 'Extensions that cannot work, alone or beside each other, are refused when the server is made, naming them.',
  },
} as const satisfies RequirementTable
