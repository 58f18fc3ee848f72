// The order of the pages: what the site shows beside them, and what llms.txt lists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export const docs = new URL('../docs/', import.meta.url)

/** Pages of the repository outside of docs that the site has too. */
export const ROOT_PAGES = {
  'project/contributing.md': '../CONTRIBUTING.md',
  'project/security.md': '../SECURITY.md',
  'project/changes.md': '../CHANGELOG.md',
}

/** Groups of guides in reading order. `all` appends the other pages of a folder. */
const GUIDES = [
  {
    title: 'Get started',
    pages: ['start/install', 'init', 'start/server', 'start/client', 'test/in-process', 'install', 'start/examples'],
  },
  {
    title: 'Servers',
    pages: [
      'servers/tools',
      'servers/schemas',
      'servers/results',
      'servers/errors',
      'servers/resources',
      'servers/prompts',
      'servers/completion',
      'servers/context',
      'servers/time-limits',
      'servers/logging',
      'servers/ask',
      'servers/notify',
      'tasks',
      'apps',
      'skills',
      'servers/middleware',
      'servers/lifespan',
      'servers/low-level',
      'extensions',
    ],
    all: 'servers/',
  },
  {
    title: 'Run and deploy',
    pages: [
      'running',
      'run/stdio',
      'run/http',
      'run/frameworks',
      'run/proxies',
      'gateways',
      'run/docker',
      'many-nodes',
      'sessions',
      'backends',
      'redis',
      'postgres',
      'sqlite',
      'nats',
      'run/telemetry',
      'run/troubleshoot',
    ],
    all: 'run/',
  },
  { title: 'Compose', pages: ['compose/mount', 'compose/transforms', 'compose/openapi'], all: 'compose/' },
  {
    title: 'Clients',
    pages: [
      'clients/connect',
      'clients/call',
      'clients/typed',
      'clients/answer',
      'clients/listen',
      'clients/several',
      'clients/browser',
    ],
    all: 'clients/',
  },
  {
    title: 'Authorization',
    pages: ['auth/server', 'auth/client', 'auth/try-it', 'auth/enterprise', 'providers'],
    all: 'auth/',
  },
  { title: 'Test and debug', pages: ['dev', 'inspector', 'doctor'] },
  {
    title: 'Concepts',
    pages: ['concepts/eras', 'concepts/revisions', 'concepts/security', 'concepts/limits', 'concepts/performance'],
    all: 'concepts/',
  },
  {
    title: 'Migrate',
    pages: [
      'migrate',
      'migrate-from-typescript-sdk-v1',
      'migrate-from-typescript-sdk-v2',
      'migrate-from-fastmcp',
      'migrate-from-python-sdk',
      'from-the-python-sdk',
    ],
  },
]

const COMMAND_LINE = ['command-line', 'login', 'cli/README']

const PROJECT = {
  title: 'Project',
  pages: [
    'project/architecture',
    'project/conformance',
    'project/spec-map',
    'project/faults',
    'project/interop',
    'project/documentation',
    'project/speed',
    'project/contributing',
    'project/security',
    'project/changes',
    'project/changes-to-0.2',
  ],
}

const isThere = (page) => Object.hasOwn(ROOT_PAGES, `${page}.md`) || existsSync(new URL(`${page}.md`, docs))

function pagesIn(folder) {
  const url = new URL(folder, docs)
  if (!existsSync(url)) return []
  return readdirSync(url)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => folder + file.slice(0, -'.md'.length))
    .sort()
}

/** A page by its path without `.md`, with its title and its first sentence. */
export function describePage(page) {
  const file = ROOT_PAGES[`${page}.md`] ?? `${page}.md`
  const text = readFileSync(new URL(file, docs), 'utf8').replaceAll(/<!--[\s\S]*?-->\n*/g, '')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? page
  const paragraph = /^# .+\n+((?:(?!```|[#|>-])[^\n]+\n?)+)/m.exec(text)?.[1]?.replaceAll('\n', ' ').trim() ?? ''
  const [sentence = ''] = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .match(/^(?:`[^`]*`|[^`])*?[.:](?=\s|$)/) ?? [paragraph]
  return { page, title: title.replaceAll('`', ''), description: sentence.replace(/:$/, '.') }
}

function describeGroup({ title, pages, all }) {
  const others = all === undefined ? [] : pagesIn(all).filter((page) => !pages.includes(page))
  return { title, pages: [...pages.filter(isThere), ...others].map(describePage) }
}

/** All pages of the documentation by part of the site and by group. */
export function readNavigation() {
  const isGroup = ({ pages }) => pages.length > 0
  return {
    guide: [...GUIDES.map(describeGroup), describeGroup(PROJECT)].filter(isGroup),
    commands: [
      { title: 'Command line', pages: COMMAND_LINE.filter(isThere).map(describePage) },
      { title: 'Commands', pages: pagesIn('cli/').map(describePage) },
    ],
    errors: errorGroups(),
  }
}

/** In the order and under the headings of the list of errors. */
function errorGroups() {
  const list = readFileSync(new URL('errors/README.md', docs), 'utf8')
  return list.split(/^## /m).flatMap((part) => {
    const slugs = [...part.matchAll(/^- \[([\w-]+)\]\(/gm)].map(([, slug]) => slug)
    return slugs.length === 0
      ? []
      : [{ title: part.split('\n')[0], pages: slugs.map((slug) => describePage(`errors/${slug}`)) }]
  })
}
