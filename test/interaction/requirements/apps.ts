// Views of tools (`io.modelcontextprotocol/ui`): what a server sends, what a client declares, what a host reads.
import type { RequirementTable } from './entry.ts'

/** The first revision whose tools and contents have `_meta`. */
const META = { since: '2025-06-18' } as const

export const APPS = {
  'apps:declared': {
    source: 'apps A-10; AQ-6',
    text: 'A server declares apps while one is registered, in every revision; a client declares what it renders, and only then.',
  },
  'apps:view': {
    source: 'apps A-02; apps A-03; apps A-08; apps A-11',
    text: 'A view is read with its MIME type and a whole document, and is in no list unless asked for.',
  },
  'apps:view-metadata': {
    source: 'apps A-07; apps A-09; apps A-14',
    text: 'Policy, permissions, domain and border stand on the view, and arrive as they were written.',
    ...META,
  },
  'apps:tool': {
    source: 'apps A-09; apps A-12; apps A-13; X-49',
    text: 'A tool names its view and its audience in `_meta.ui`, beside all other `_meta`.',
    ...META,
  },
  'apps:tool-for-views': {
    source: 'apps A-06; apps A-12',
    text: 'A tool for views alone is not listed to a client that shows no views or gets no `_meta`; it can be called.',
  },
  'apps:client-renders': {
    source: 'apps A-06; B-APPS-04',
    text: '`ctx.ui` is what the client renders, and `undefined` for a client that does not name the MIME type.',
  },
  'apps:content': {
    source: 'apps A-05; B-APPS-03; X-46',
    text: 'A tool with a view that returns no content is reported once; its output schema makes text by itself.',
  },
  'apps:one-endpoint': {
    source: 'X-45',
    text: 'Tools and their views are served by one connection, with the rights of the caller.',
    ...META,
  },
} as const satisfies RequirementTable
