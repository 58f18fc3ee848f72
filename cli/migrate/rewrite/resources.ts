// Resources: `registerResource` and the older `resource`, with fixed URIs and with templates.
import type { CallExpression, NewExpression, Node } from 'ts-morph'
import type { Handler, Handlers } from '../source/handlers.ts'
import type { Kinds } from '../source/kinds.ts'
import { lineEnd, lineIndent, type Migration, member, objectText, startsLine } from '../source/migration.ts'
import { declarationsOf, resolveFunction, resolveObject, returnsOf, usesOf } from '../source/names.ts'
import {
  descendants,
  is,
  isFunction,
  literalText,
  memberName,
  membersOf,
  memberValue,
  unwrap,
} from '../source/nodes.ts'

const OPTIONS = new Set(['title', 'description', 'mimeType', 'size', 'annotations', 'icons', '_meta'])

export function rewriteResource(migration: Migration, kinds: Kinds, handlers: Handlers, call: CallExpression): void {
  const callee = call.getExpression()
  const args = call.getArguments()
  const [name, uri] = args
  const run = args.at(-1)
  const what = `server.${memberName(callee) ?? 'resource'}`
  migration.site(call, what)
  if (name === undefined || uri === undefined || run === undefined || args.length < 3) return
  const config = args.length > 3 ? args[2] : undefined
  const template = kinds.of(uri) === 'resource-template' ? findTemplate(uri) : undefined
  if (template === undefined && kinds.of(uri) === 'resource-template') {
    migration.mark(
      call,
      what,
      'the first argument is the URI template as text; list and complete of ResourceTemplate are options.',
    )
    return
  }
  if (is(callee, 'PropertyAccessExpression')) migration.replace(callee.getNameNode(), 'resource')
  const [pattern, callbacks] = template?.getArguments() ?? []
  const uriNode = template !== undefined && is(unwrap(uri), 'NewExpression') ? (pattern ?? uri) : uri
  if (template !== undefined && uriNode === uri && pattern !== undefined) {
    // A constant that holds the template now holds its text.
    migration.replace(template, () => migration.text(pattern))
  }
  const isApart = startsLine(name)
  const options = () =>
    objectText(
      [
        member('name', migration.text(name)),
        ...configText(migration, config),
        ...templateOptions(migration, callbacks),
      ],
      config ?? name,
      isApart ? name : call,
    )
  checkConfig(migration, call, what, config)
  prepareCallbacks(migration, handlers, callbacks)
  migration
    .editsOf(call.getSourceFile())
    .replace(
      name.getStart(),
      (config ?? uri).getEnd(),
      () => `${migration.text(uriNode)}${isApart ? `,\n${lineIndent(name)}` : ', '}${options()}`,
    )
  const fn = resolveFunction(run)
  if (fn === undefined) {
    migration.mark(call, what, 'the function gets (variables, ctx) here, not (uri, variables, extra).')
    return
  }
  const from = template === undefined ? (['uri', 'ctx'] as const) : (['uri', 'variables', 'ctx'] as const)
  const handler = handlers.add(fn, 'high', from, ['variables', 'ctx'])
  provideUri(migration, handler, template === undefined ? uri : undefined)
}

function findTemplate(uri: Node): NewExpression | undefined {
  const inner = unwrap(uri)
  if (is(inner, 'NewExpression')) return inner
  for (const declaration of declarationsOf(inner)) {
    const value = is(declaration, 'VariableDeclaration') ? declaration.getInitializer() : undefined
    if (is(value, 'NewExpression')) return value
  }
  return undefined
}

/** The members of the old config, spread where it is not written here. */
function configText(migration: Migration, config: Node | undefined): string[] {
  if (config === undefined) return []
  const object = unwrap(config)
  if (!is(object, 'ObjectLiteralExpression')) return [`...${migration.text(config)}`]
  return object.getProperties().map((property) => {
    const isMeta = (property as unknown as { getName?(): string }).getName?.() === '_meta'
    const value = isMeta ? memberValue(property) : undefined
    return value === undefined ? migration.text(property) : `meta: ${migration.text(value)}`
  })
}

function checkConfig(migration: Migration, call: CallExpression, what: string, config: Node | undefined): void {
  const object = config === undefined ? undefined : resolveObject(config)
  for (const name of object === undefined ? [] : membersOf(object).keys()) {
    if (!OPTIONS.has(name))
      migration.mark(call, what, `the option ${name} has no counterpart here. Put it into meta, or remove it.`)
  }
}

/** `list` returns the resources here, not a result that holds them. */
function prepareCallbacks(migration: Migration, handlers: Handlers, callbacks: Node | undefined): void {
  const object = callbacks === undefined ? undefined : unwrap(callbacks)
  if (!is(object, 'ObjectLiteralExpression')) return
  const list = memberValue(membersOf(object).get('list'))
  const fn = list === undefined ? undefined : unwrap(list)
  if (!isFunction(fn)) return
  handlers.add(fn, 'high', ['ctx'], ['ctx'])
  for (const returned of returnsOf(fn)) {
    const result = unwrap(returned)
    const resources = is(result, 'ObjectLiteralExpression')
      ? memberValue(membersOf(result).get('resources'))
      : undefined
    if (resources === undefined)
      migration.mark(fn, 'ResourceTemplate.list', 'return the list of resources itself, without { resources }.')
    else migration.replace(returned, () => migration.text(resources))
  }
}

function templateOptions(migration: Migration, callbacks: Node | undefined): string[] {
  const object = callbacks === undefined ? undefined : unwrap(callbacks)
  if (!is(object, 'ObjectLiteralExpression')) return []
  const parts: string[] = []
  for (const [name, property] of membersOf(object)) {
    const value = memberValue(property)
    if (name === 'list' && (value === undefined || value.getText() === 'undefined')) continue
    if (name === 'list' && value !== undefined && !isFunction(unwrap(value))) {
      parts.push(`list: async (ctx) => (await ${migration.text(value)}(ctx)).resources`)
    } else parts.push(migration.text(property))
  }
  return parts
}

/** The SDK passes the URI as a `URL`. It is known for a fixed URI; for a template it is in the request. */
function provideUri(migration: Migration, handler: Handler, fixed: Node | undefined): void {
  const { fn } = handler
  const parameter = fn.getParameters()[0]
  const name = parameter?.getNameNode()
  if (!is(name, 'Identifier')) return
  const uses = usesOf(name, migration.files)
  if (uses.length === 0) return
  const isOtherFile = fixed !== undefined && fn.getSourceFile() !== fixed.getSourceFile()
  // `(uri) => …` hides a variable of the same name.
  const isHidden = fixed !== undefined && identifiersIn(fixed).includes(name.getText())
  const isFixed = fixed !== undefined && !isOtherFile && !isHidden
  if (!isFixed) handler.needed.add('ctx')
  const text = () => (isFixed ? migration.text(fixed) : `String(${handler.contextName}.request.params?.['uri'])`)
  const literal = literalText(fixed)
  const body = fn.getBody()
  if (is(body, 'Block')) {
    const [first] = body.getStatements()
    const indent = first === undefined ? '' : lineIndent(first)
    const end = lineEnd(fn.getSourceFile())
    const declaration = () => `const ${name.getText()} = new URL(${text()})${end}\n${indent}`
    if (first !== undefined) migration.editsOf(fn.getSourceFile()).insert(first.getStart(), declaration)
    return
  }
  for (const use of uses) {
    const access = use.getParent()
    const isHref =
      memberName(access) === 'href' || (memberName(access) === 'toString' && is(access?.getParent(), 'CallExpression'))
    const whole = memberName(access) === 'toString' ? access?.getParent() : access
    if (isHref && whole !== undefined && (literal === undefined ? !isFixed : isNormal(literal)))
      migration.replace(whole, text)
    else migration.replace(use, () => `new URL(${text()})`)
  }
}

function identifiersIn(node: Node): string[] {
  return [...(is(node, 'Identifier') ? [node] : []), ...descendants(node, 'Identifier')].map((one) => one.getText())
}

/** Whether `URL` leaves it as it is. */
function isNormal(uri: string): boolean {
  return URL.canParse(uri) && new URL(uri).href === uri
}
