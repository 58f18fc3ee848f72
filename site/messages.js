// Every message that the source throws, by the page about it. The site lists them on the pages of errors, so that a message from a
// terminal, typed into the search, finds its page: the heading of a page is one wording of several.
import { readdirSync, readFileSync } from 'node:fs'
import { ts } from 'ts-morph'
import { networkMessages } from './network-messages.js'

const root = new URL('../', import.meta.url)

/** Classes that have a page of their own, with the place of the message among the arguments. */
const CLASSES = new Map([
  ['BackendError', ['backend-failed', 0]],
  ['TransportError', ['connection-lost', 0]],
  ['LimitError', ['limit-reached', 2]],
  ['InvalidResultError', ['invalid-result', 0]],
  ['OAuthError', ['login-failed', 1]],
  ['OpenAPIError', ['bad-openapi', 0]],
  ['SchemaError', ['bad-json-schema', 0]],
  ['UriTemplateError', ['bad-uri-template', 0]],
  ['SkillMismatchError', ['skill-mismatch', 0]],
  ['ListenNotSupportedError', ['listen-not-supported', 0]],
])

/** What `MCPError` says by its code. */
const CODES = new Map([
  ['RequestTimeout', 'timeout'],
  ['ConnectionClosed', 'connection-lost'],
  ['MethodNotFound', 'method-not-found'],
  ['ResourceNotFound', 'resource-not-found'],
  ['HeaderMismatch', 'header-mismatch'],
  ['InvalidParams', 'invalid-arguments'],
])

/** Functions that make an error, with its page where they say it themselves. */
const MAKERS = new Map([
  ['orderError', 'wrong-order'],
  ['usageFailure', 'usage'],
])

const sourceFiles = () =>
  ['src', 'cli'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:test|templates|testing)[\\/]/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  )

const MAX_DEPTH = 6
const MAX_VARIANTS = 4

/** What is known of all files: functions by name, and the calls of each. Names that several files declare are told apart by file. */
function readSources() {
  const functions = new Map()
  const calls = new Map()
  const files = sourceFiles().map((file) => {
    const source = ts.createSourceFile(file, readFileSync(new URL(file, root), 'utf8'), ts.ScriptTarget.Latest, true)
    const visit = (node) => {
      if (ts.isFunctionDeclaration(node) && node.name) append(functions, node.name.text, node)
      if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && ts.isIdentifier(node.expression))
        append(calls, node.expression.text, node)
      ts.forEachChild(node, visit)
    }
    visit(source)
    return source
  })
  return { files, functions, calls }
}

function append(map, key, value) {
  if (map.has(key)) map.get(key).push(value)
  else map.set(key, [value])
}

const enclosing = (node, is) => {
  for (let current = node.parent; current !== undefined; current = current.parent) if (is(current)) return current
  return undefined
}

/** Reads what an expression can be when the program runs, as far as the text of the source says it. */
class Reader {
  constructor(sources) {
    this.sources = sources
  }

  /** The texts of an expression, each with ‹…› for what differs. */
  texts(node, depth = 0) {
    if (node === undefined || depth > MAX_DEPTH) return []
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return this.texts(node.expression, depth)
    if (ts.isConditionalExpression(node))
      return [...this.texts(node.whenTrue, depth), ...this.texts(node.whenFalse, depth)]
    if (ts.isTemplateExpression(node)) return this.template(node, depth + 1)
    if (ts.isBinaryExpression(node)) return this.binary(node, depth)
    if (ts.isIdentifier(node)) return this.identifier(node, depth + 1)
    if (!ts.isCallExpression(node)) return []
    if (ts.isIdentifier(node.expression)) return this.returned(node, depth + 1)
    return ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'get'
      ? this.values(node, depth)
      : []
  }

  /** What a map holds, for `NAMES.get(key)`. */
  values({ expression: { expression: map } }, depth) {
    const declared = ts.isIdentifier(map) ? this.constant(map) : undefined
    const list = declared && ts.isNewExpression(declared) ? declared.arguments?.[0] : undefined
    if (list === undefined || !ts.isArrayLiteralExpression(list)) return []
    return list.elements.flatMap((pair) =>
      ts.isArrayLiteralExpression(pair) ? this.texts(pair.elements[1], depth + 1) : [],
    )
  }

  /** With every reason that stands in it, while those are few. */
  template({ head, templateSpans }, depth) {
    let found = [head.text]
    for (const { expression, literal } of templateSpans) {
      const isPart =
        ts.isCallExpression(expression) || ts.isConditionalExpression(expression) || ts.isIdentifier(expression)
      const parts = isPart && parameterOf(expression) < 0 ? this.texts(expression, depth) : []
      const fitting =
        parts.length > 0 && found.length * parts.length <= MAX_VARIANTS ? parts : [placeholder(expression)]
      found = found.flatMap((text) => fitting.map((part) => text + part + literal.text))
    }
    return found
  }

  binary({ left, right, operatorToken }, depth) {
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return [...this.texts(left, depth), ...this.texts(right, depth)]
    if (operatorToken.kind !== ts.SyntaxKind.PlusToken) return []
    const [end = '‹…›'] = this.texts(right, depth)
    return this.texts(left, depth).map((start) => start + end)
  }

  /** A constant of the function or of the file, or what callers pass. */
  identifier(node, depth) {
    const index = parameterOf(node)
    if (index >= 0) return this.callersOf(node).flatMap((call) => this.texts(call.arguments?.[index], depth))
    const declared = this.constant(node)
    return declared === undefined ? [] : this.texts(declared, depth)
  }

  /** What a name stands for in its function, or in its file. */
  constant(node) {
    const found = []
    const visit = (child) => {
      if (ts.isVariableDeclaration(child) && child.name.getText() === node.text) found.push(child.initializer)
      ts.forEachChild(child, visit)
    }
    const holder = enclosing(node, ts.isFunctionLike)
    if (holder !== undefined) visit(holder)
    if (found.length === 0) visit(node.getSourceFile())
    return found[0]
  }

  returned(call, depth) {
    const found = []
    const visit = (node) => {
      if (ts.isReturnStatement(node)) found.push(node.expression)
      if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit)
    }
    const [declared] = this.declared(call.expression.text, call.getSourceFile())
    if (declared?.body) ts.forEachChild(declared.body, visit)
    return found.flatMap((expression) => this.texts(expression, depth))
  }

  declared(name, file) {
    const all = this.sources.functions.get(name) ?? []
    const here = all.filter((node) => node.getSourceFile() === file)
    return here.length > 0 ? here : all.length === 1 ? all : []
  }

  /** Calls of the function that a node stands in. */
  callersOf(node) {
    const file = node.getSourceFile()
    const holder = enclosing(node, ts.isFunctionLike)
    const name = holder && ts.isFunctionDeclaration(holder) ? holder.name?.text : undefined
    const all = (name && this.sources.calls.get(name)) ?? []
    const isOnly = (this.sources.functions.get(name) ?? []).length === 1
    return isOnly ? all : all.filter((call) => isFrom(call.getSourceFile(), name, file))
  }

  slugs(node) {
    if (Array.isArray(node)) return node
    return this.texts(node).filter((text) => /^[a-z]+(?:-[a-z]+)*$/.test(text))
  }

  /** The pages and the messages of a call that makes an error, in pairs. What callers pass belongs together. */
  *failures(node) {
    const made = partsOf(node)
    if (made === undefined) return
    const [slug, message] = made
    const [slugIndex, messageIndex] = made.map((part) => (Array.isArray(part) ? -1 : parameterOf(part)))
    if (slugIndex < 0 && messageIndex < 0) yield [this.slugs(slug), this.texts(message)]
    else {
      for (const { arguments: given = [] } of this.callersOf(node)) {
        const slugs = this.slugs(slugIndex < 0 ? slug : given[slugIndex])
        yield [slugs, this.texts(messageIndex < 0 ? message : given[messageIndex])]
      }
    }
  }
}

/** Where a call that makes an error has its page, or the name of it, and its message. */
function partsOf(node) {
  const name = node.expression.text
  const [first, second, third] = node.arguments ?? []
  if (name === 'typeError' || name === 'rangeError') return [first, second]
  if (name === 'withHelp') return isMade(second) ? [first, messageOf(second)] : undefined
  if (name === 'withHelpOf') return isMade(third) ? [second, messageOf(third)] : undefined
  if (name === 'wrongOption') return isMade(first) ? [['wrong-option'], messageOf(first)] : undefined
  if (name === 'Failure') return [property(second, 'slug') ?? ['failed'], first]
  if (name === 'MCPError') return [[CODES.get(first?.name?.text)].filter(Boolean), second]
  if (MAKERS.has(name)) return [[MAKERS.get(name)], first]
  return CLASSES.has(name) ? [[CLASSES.get(name)[0]], messageOf(node)] : undefined
}

/** Whether a name in one file is the function of another: it is declared or imported there. */
function isFrom(file, name, declaring) {
  if (file === declaring) return true
  return file.statements.some((statement) => {
    const names = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined
    if (names === undefined || !ts.isNamedImports(names)) return false
    const [path] = statement.moduleSpecifier.text.split('/').slice(-1)
    return declaring.fileName.endsWith(`/${path}`) && names.elements.some((element) => element.name.text === name)
  })
}

/** Which parameter of the function around it a name is, or -1. */
function parameterOf(node) {
  if (node === undefined || !ts.isIdentifier(node)) return -1
  const holder = enclosing(node, ts.isFunctionLike)
  return holder?.parameters.findIndex(({ name }) => ts.isIdentifier(name) && name.text === node.text) ?? -1
}

function placeholder(expression) {
  if (ts.isIdentifier(expression)) return `‹${expression.text}›`
  return ts.isPropertyAccessExpression(expression) ? `‹${expression.name.text}›` : '‹…›'
}

function property(node, name) {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined
  const found = node.properties.find((member) => member.name?.getText() === name)
  return found && ts.isPropertyAssignment(found) ? found.initializer : found?.name
}

const isMade = (node) => node !== undefined && ts.isNewExpression(node)
const messageOf = (node) => node.arguments?.[CLASSES.get(node.expression.getText())?.[1] ?? 0]

/** The page that a wrapper names counts, not that of the class within. */
const isWrapped = (node) =>
  ts.isNewExpression(node) &&
  ts.isCallExpression(node.parent) &&
  /^(?:withHelp(?:Of)?|wrongOption)$/.test(node.parent.expression.getText())

const MIN_WORDS = 2

const countWords = (message) => message.replaceAll(/‹[^›]*›/g, '').match(/[\p{L}]{2,}/gu)?.length ?? 0

/** A text that a longer one begins with is found by that one. */
const withoutBeginnings = (texts) =>
  [...new Map(texts.map((text) => [text.replaceAll(/‹[^›]*›/g, '‹›'), text])).values()].filter((text) => {
    const start = text.replace(/(?:‹[^›]*›)?$/, '')
    return !texts.some((other) => other.length > text.length && other.startsWith(start))
  })

/** A map from the names of pages to messages. */
export async function readMessages() {
  const sources = readSources()
  const reader = new Reader(sources)
  const found = new Map()
  for (const node of [...sources.calls.values()].flat()) {
    if (isWrapped(node)) continue
    for (const [slugs, texts] of reader.failures(node)) {
      for (const text of texts.map((one) => one.replaceAll(/\s+/g, ' ').trim())) {
        if (countWords(text) >= MIN_WORDS) for (const slug of slugs) append(found, slug, text)
      }
    }
  }
  for (const [slug, text] of await networkMessages()) append(found, slug, text)
  for (const [slug, texts] of found) found.set(slug, withoutBeginnings([...new Set(texts)]))
  return found
}
