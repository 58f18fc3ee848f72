// What one run of `mcpwire migrate` has found and changed so far.
import type { Identifier, Node, SourceFile } from 'ts-morph'
import { TextEdits } from './edits.ts'
import { is, isTypeScript, statementOf } from './nodes.ts'
import { type SdkVersion, sdkVersionOf } from './sdk-names.ts'

/** A use of the SDK. `mark` is what is left to do, where the codemod cannot know. */
export interface Site {
  readonly file: string
  readonly line: number
  readonly what: string
  mark?: string
}

/** A name that a file imports from the SDK. */
export interface SdkImport {
  readonly name: string
  readonly module: string
  readonly version: SdkVersion
  readonly local: Identifier
  readonly isTypeOnly: boolean
}

export const MARK = 'mcpwire-migrate:'

export class Migration {
  readonly files: ReadonlySet<SourceFile>
  readonly sites: Site[] = []
  /** The file of each place that is to be checked. */
  readonly checks: string[] = []
  /** What a reader should know and nothing has to be done about. */
  readonly notes = new Set<string>()
  readonly #edits = new Map<SourceFile, TextEdits>()
  readonly #imports = new Map<SourceFile, Map<string, SdkImport>>()
  readonly #added = new Map<SourceFile, Map<string, Map<string, boolean>>>()
  readonly #sitesByNode = new Map<Node, Site>()
  readonly #marked = new Set<string>()

  /** With `from`, only the imports of that version count. */
  constructor(files: readonly SourceFile[], from?: SdkVersion) {
    this.files = new Set(files)
    for (const file of files) this.#imports.set(file, readImports(file, from))
  }

  editsOf(file: SourceFile): TextEdits {
    let edits = this.#edits.get(file)
    if (edits === undefined) {
      edits = new TextEdits(file.getFullText())
      this.#edits.set(file, edits)
    }
    return edits
  }

  importsOf(file: SourceFile): ReadonlyMap<string, SdkImport> {
    return this.#imports.get(file) ?? new Map()
  }

  get usesSdk(): boolean {
    return [...this.#imports.values()].some((names) => names.size > 0)
  }

  /** The name that the SDK exports this under; `undefined` for everything that is not imported from it. */
  sdkName(node: Node | undefined): string | undefined {
    if (!is(node, 'Identifier')) return undefined
    const found = this.importsOf(node.getSourceFile()).get(node.getText())
    if (found === undefined) return undefined
    const [declaration] = node.getSymbol()?.getDeclarations() ?? []
    // A parameter of the same name hides the import.
    if (is(declaration, 'Parameter') || is(declaration, 'VariableDeclaration')) return undefined
    return found.name
  }

  /** Counts a use of the SDK, once per node. */
  site(node: Node, what: string): Site {
    const known = this.#sitesByNode.get(node)
    if (known !== undefined) return known
    const site: Site = { file: node.getSourceFile().getFilePath(), line: node.getStartLineNumber(), what }
    this.sites.push(site)
    this.#sitesByNode.set(node, site)
    return site
  }

  /** Counts a use that needs a person, and says so in a comment above its statement. */
  mark(node: Node, what: string, todo: string): void {
    const site = this.site(node, what)
    if (site.mark !== undefined) return
    site.mark = todo
    this.#comment(node, todo)
  }

  /** Says in a comment what works and may mean something else here. It needs a person too, but leaves no call site as it was. */
  check(node: Node, todo: string): void {
    if (this.#comment(node, todo)) this.checks.push(node.getSourceFile().getFilePath())
  }

  /** Once for a statement: returns whether it was new. */
  #comment(node: Node, todo: string): boolean {
    const file = node.getSourceFile()
    const statement = statementOf(node)
    const start = statement.getStart()
    const key = `${file.getFilePath()}:${start}:${todo}`
    if (this.#marked.has(key)) return false
    this.#marked.add(key)
    const indent = startsLine(statement) ? lineIndent(statement) : ''
    this.editsOf(file).insert(start, `// ${MARK} ${todo}\n${indent}`)
    return true
  }

  note(text: string): void {
    this.notes.add(text)
  }

  text(node: Node): string {
    return this.editsOf(node.getSourceFile()).render(node.getStart(), node.getEnd())
  }

  replace(node: Node, text: string | (() => string)): void {
    this.editsOf(node.getSourceFile()).replace(node.getStart(), node.getEnd(), text)
  }

  insertBefore(node: Node, text: string): void {
    this.editsOf(node.getSourceFile()).insert(node.getStart(), text)
  }

  insertAfter(node: Node, text: string): void {
    this.editsOf(node.getSourceFile()).insert(node.getEnd(), text)
  }

  /** Removes a statement with its line, and the comments right above it. */
  removeStatement(statement: Node): void {
    const file = statement.getSourceFile()
    const text = file.getFullText()
    const start = startWithComments(statement, text)
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    const isFirst = text.slice(lineStart, start).trim() === ''
    const lineEnd = /[^\S\n]*(?:\n|$)/y
    lineEnd.lastIndex = statement.getEnd()
    const rest = lineEnd.exec(text)
    const end = isFirst && rest !== null ? statement.getEnd() + rest[0].length : statement.getEnd()
    // Between two blank lines one of them goes too.
    const isApart = isFirst && /\n[^\S\n]*\n$/.test(text.slice(0, lineStart)) && /^[^\S\n]*\n/.test(text.slice(end))
    this.editsOf(file).remove(isFirst ? lineStart : start, isApart ? text.indexOf('\n', end) + 1 : end)
  }

  /** Whether the node is gone or replaced. */
  isGone(node: Node): boolean {
    const edits = this.#edits.get(node.getSourceFile())
    return (
      edits !== undefined && !edits.keeps(node.getStart(), is(node, 'Identifier') ? node.getEnd() : node.getStart() + 1)
    )
  }

  /** Adds an import to a file, and returns the name. */
  use(file: SourceFile, name: string, from: string, isType = false): string {
    const modules = this.#added.get(file) ?? new Map<string, Map<string, boolean>>()
    this.#added.set(file, modules)
    const names = modules.get(from) ?? new Map<string, boolean>()
    modules.set(from, names)
    names.set(name, (names.get(name) ?? true) && isType)
    return name
  }

  addedTo(file: SourceFile): ReadonlyMap<string, ReadonlyMap<string, boolean>> {
    return this.#added.get(file) ?? new Map()
  }

  /** The new text of every file that has changed. */
  results(): Map<SourceFile, string> {
    const results = new Map<SourceFile, string>()
    for (const [file, edits] of this.#edits) {
      if (edits.isEmpty) continue
      const text = edits.render()
      if (text !== file.getFullText()) results.set(file, text)
    }
    return results
  }
}

/** Comments that touch the statement belong to it; those above a blank line do not, nor does the head of the file. */
function startWithComments(statement: Node, text: string): number {
  let start = statement.getStart()
  for (const comment of statement.getLeadingCommentRanges().toReversed()) {
    const isHead = text.slice(0, comment.getPos()).trim() === ''
    if (isHead || /\n\s*\n/.test(text.slice(comment.getEnd(), start))) break
    start = comment.getPos()
  }
  return start
}

/** The spaces before the first word of the line of a node. */
export function lineIndent(node: Node): string {
  const text = node.getSourceFile().getFullText()
  const start = text.lastIndexOf('\n', node.getStart() - 1) + 1
  return /^[^\S\n]*/.exec(text.slice(start))?.[0] ?? ''
}

/** Whether nothing is before the node on its line. */
export function startsLine(node: Node): boolean {
  const text = node.getSourceFile().getFullText()
  const start = text.lastIndexOf('\n', node.getStart() - 1) + 1
  return text.slice(start, node.getStart()).trim() === ''
}

/** `;` where the file has them. */
export function lineEnd(file: SourceFile): string {
  return file.getStatements().some((statement) => statement.getText().endsWith(';')) ? ';' : ''
}

/** An object literal: on one line, or with a line for each member where the old code had several. `at` begins its line. */
export function objectText(parts: readonly string[], sample: Node, at: Node): string {
  if (parts.length === 0) return '{}'
  const isLong =
    sample.getText().includes('\n') || parts.join(', ').length > 90 || parts.some((part) => part.includes('\n'))
  if (!isLong) return `{ ${parts.join(', ')} }`
  const outer = lineIndent(at)
  const step =
    outer.includes('\t') || /\n\t/.test(sample.getSourceFile().getFullText()) ? '\t' : ' '.repeat(indentSize(sample))
  return `{\n${parts.map((part) => `${outer}${step}${part},\n`).join('')}${outer}}`
}

function indentSize(node: Node): number {
  const found = /\n( {2,})[^\s*]/.exec(node.getSourceFile().getFullText())
  return Math.min(found?.[1]?.length ?? 2, 4)
}

/** `name` for the member `name: name`. */
export function member(name: string, value: string): string {
  return name === value ? name : `${name}: ${value}`
}

export function typed(file: SourceFile, type: string): string {
  return isTypeScript(file) ? `: ${type}` : ''
}

function readImports(file: SourceFile, from: SdkVersion | undefined): Map<string, SdkImport> {
  const found = new Map<string, SdkImport>()
  const add = (name: string, module: string, local: Node | undefined, isTypeOnly: boolean) => {
    const version = sdkVersionOf(module)
    const isWanted = version !== undefined && (from === undefined || from === version)
    if (isWanted && is(local, 'Identifier')) found.set(local.getText(), { name, module, version, local, isTypeOnly })
  }
  for (const declaration of file.getImportDeclarations()) {
    const module = declaration.getModuleSpecifierValue()
    for (const named of declaration.getNamedImports()) {
      add(
        named.getName(),
        module,
        named.getAliasNode() ?? named.getNameNode(),
        declaration.isTypeOnly() || named.isTypeOnly(),
      )
    }
  }
  for (const { module, elements } of requiresOf(file)) {
    for (const element of elements) add(element.name, module, element.local, false)
  }
  return found
}

interface Required {
  readonly module: string
  readonly statement: Node
  readonly elements: { name: string; local: Node }[]
}

/** `const { a, b: c } = require('module')`. */
export function requiresOf(file: SourceFile): Required[] {
  const found: Required[] = []
  for (const statement of file.getStatements()) {
    if (!is(statement, 'VariableStatement')) continue
    for (const declaration of statement.getDeclarations()) {
      const call = declaration.getInitializer()
      const pattern = declaration.getNameNode()
      if (!is(call, 'CallExpression') || call.getExpression().getText() !== 'require') continue
      const [module] = call.getArguments()
      if (!is(module, 'StringLiteral') || !is(pattern, 'ObjectBindingPattern')) continue
      const elements = pattern.getElements().map((element) => ({
        name: element.getPropertyNameNode()?.getText() ?? element.getName(),
        local: element.getNameNode(),
      }))
      found.push({ module: module.getLiteralText(), statement, elements })
    }
  }
  return found
}
