// The construction of servers.
import type { NewExpression, Node, ObjectLiteralExpression } from 'ts-morph'
import { lineIndent, type Migration, objectText, startsLine } from '../source/migration.ts'
import { resolveObject } from '../source/names.ts'
import { is, membersOf, memberValue, unwrap } from '../source/nodes.ts'

/** Options of the SDK's servers that need nothing here: what they do is always so. */
const NOT_NEEDED = new Set([
  'enforceStrictCapabilities',
  'debouncedNotificationMethods',
  'jsonSchemaValidator',
  'defaultTaskPollInterval',
  'maxTaskQueueSize',
  'taskStore',
  'taskMessageQueue',
])
const KEPT = new Set(['instructions', 'capabilities'])

/** `onFault` and others that were assigned to the server, and are options here. */
export type MovedOptions = readonly (() => string)[]

export function rewriteServer(
  migration: Migration,
  creation: NewExpression,
  isHigh: boolean,
  moved: MovedOptions,
): void {
  const [info, options] = creation.getArguments()
  const file = creation.getSourceFile()
  const what = isHigh ? 'new McpServer' : 'new Server'
  migration.site(creation, what)
  if (info === undefined) return
  const infoObject = resolveObject(info)
  const optionsObject = options === undefined ? undefined : resolveObject(options)
  if (infoObject === undefined || (options !== undefined && optionsObject === undefined)) {
    migration.note(
      `${file.getBaseName()}: name and options of a server come from a variable. Check the constructor of ${what.slice(4)}.`,
    )
  }
  const usesTasks = optionsObject !== undefined && membersOf(optionsObject).has('taskStore')
  if (usesTasks) migration.use(file, 'tasks', 'mcpwire/extensions/tasks')
  const name = () => memberText(migration, info, infoObject, 'name')
  const parts = [
    ...infoParts(migration, info, infoObject),
    ...optionParts(migration, creation, what, options, optionsObject, usesTasks),
    ...(usesTasks ? [() => 'extensions: [tasks()]'] : []),
    ...moved,
    // The SDK sends the message of every error to the client.
    ...(isHigh ? [() => 'exposeErrors: true'] : []),
  ]
  migration.editsOf(file).replace(info.getStart(), (options ?? info).getEnd(), () => {
    const members = parts.map((part) => part()).filter((part) => part !== '')
    if (members.length === 0) return name()
    const isApart = startsLine(info)
    const between = isApart ? `,\n${lineIndent(info)}` : ', '
    return `${name()}${between}${objectText(members, creation, isApart ? info : creation)}`
  })
  const end = creation.getArguments().at(-1)?.getEnd() ?? creation.getEnd()
  removeTrailingComma(migration, file.getFullText(), end, creation)
}

function removeTrailingComma(migration: Migration, text: string, end: number, creation: NewExpression): void {
  const rest = text.slice(end, creation.getEnd())
  const comma = rest.indexOf(',')
  if (comma >= 0) migration.editsOf(creation.getSourceFile()).remove(end, creation.getEnd() - 1)
}

/** A member of an object that is written here, else of the variable that holds it. */
function memberText(
  migration: Migration,
  node: Node,
  object: ObjectLiteralExpression | undefined,
  name: string,
): string {
  const inner = unwrap(node)
  if (is(inner, 'ObjectLiteralExpression')) {
    const value = memberValue(membersOf(inner).get(name))
    return value === undefined ? "'server'" : migration.text(value)
  }
  return object === undefined || membersOf(object).has(name) ? `${node.getText()}.${name}` : "'server'"
}

function infoParts(migration: Migration, info: Node, object: ObjectLiteralExpression | undefined): (() => string)[] {
  const inner = unwrap(info)
  if (!is(inner, 'ObjectLiteralExpression')) {
    const names = object === undefined ? ['version'] : [...membersOf(object).keys()].filter((name) => name !== 'name')
    return names.map((name) => () => `${name}: ${info.getText()}.${name}`)
  }
  return inner
    .getProperties()
    .filter((property) => (property as unknown as { getName?(): string }).getName?.() !== 'name')
    .map((property) => () => migration.text(property))
}

function optionParts(
  migration: Migration,
  creation: NewExpression,
  what: string,
  options: Node | undefined,
  object: ObjectLiteralExpression | undefined,
  usesTasks: boolean,
): (() => string)[] {
  if (options === undefined) return []
  const inner = unwrap(options)
  if (!is(inner, 'ObjectLiteralExpression')) {
    if (object === undefined)
      migration.mark(
        creation,
        what,
        'these options go to the server as they are: only instructions and capabilities have the same name.',
      )
    return [() => `...${migration.text(options)}`]
  }
  const parts: (() => string)[] = []
  for (const property of inner.getProperties()) {
    const name = (property as unknown as { getName?(): string }).getName?.() ?? ''
    if (NOT_NEEDED.has(name)) continue
    if (!KEPT.has(name) && name !== '') {
      migration.mark(creation, what, `the option ${name} has no counterpart here. Remove it.`)
    }
    const value = name === 'capabilities' ? memberValue(property) : undefined
    if (is(value, 'ObjectLiteralExpression') && followFromRegistrations(migration, value, what)) continue
    if (usesTasks && is(value, 'ObjectLiteralExpression')) dropTasks(migration, value)
    parts.push(() => migration.text(property))
  }
  return parts
}

const DERIVED: Readonly<Record<string, RegExp | undefined>> = {
  tools: /^server\.(?:tool|registerTool)$|^registerToolTask$/,
  prompts: /^server\.(?:prompt|registerPrompt)$/,
  resources: /^server\.(?:resource|registerResource)$/,
}

/** An `MCPServer` declares what is registered, log messages, completions and its extensions by itself. */
function followFromRegistrations(migration: Migration, capabilities: ObjectLiteralExpression, what: string): boolean {
  if (capabilities.getProperties().length === 0) return true
  if (what !== 'new McpServer') return false
  return capabilities.getProperties().every((property) => {
    const name = (property as unknown as { getName?(): string }).getName?.() ?? ''
    const registered = DERIVED[name]
    if (registered === undefined) return name === 'logging' || name === 'completions' || name === 'tasks'
    return migration.sites.some((site) => registered.test(site.what))
  })
}

/** The extension declares itself. */
function dropTasks(migration: Migration, capabilities: ObjectLiteralExpression): void {
  const property = membersOf(capabilities).get('tasks')
  if (property === undefined) return
  const text = property.getSourceFile().getFullText()
  const comma = /\s*,?/y
  comma.lastIndex = property.getEnd()
  const rest = comma.exec(text)?.[0].length ?? 0
  migration.editsOf(property.getSourceFile()).remove(property.getFullStart(), property.getEnd() + rest)
}
