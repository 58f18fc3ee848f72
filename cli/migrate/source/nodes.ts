// Questions about syntax. `ts-morph` is a package of the user's project: only its types are imported, kinds are compared by name.
import type {
  ArrowFunction,
  BinaryExpression,
  BindingElement,
  Block,
  CallExpression,
  ExpressionStatement,
  ForInStatement,
  ForOfStatement,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  ImportDeclaration,
  MethodDeclaration,
  NewExpression,
  Node,
  ObjectBindingPattern,
  ObjectLiteralExpression,
  ParameterDeclaration,
  PropertyAccessExpression,
  PropertyAssignment,
  PropertyDeclaration,
  ReturnStatement,
  ShorthandPropertyAssignment,
  SourceFile,
  StringLiteral,
  TypeReferenceNode,
  VariableDeclaration,
  VariableStatement,
} from 'ts-morph'

interface Kinds {
  ArrowFunction: ArrowFunction
  BinaryExpression: BinaryExpression
  BindingElement: BindingElement
  Block: Block
  CallExpression: CallExpression
  ExpressionStatement: ExpressionStatement
  ForInStatement: ForInStatement
  ForOfStatement: ForOfStatement
  FunctionDeclaration: FunctionDeclaration
  FunctionExpression: FunctionExpression
  Identifier: Identifier
  ImportDeclaration: ImportDeclaration
  MethodDeclaration: MethodDeclaration
  NewExpression: NewExpression
  ObjectBindingPattern: ObjectBindingPattern
  ObjectLiteralExpression: ObjectLiteralExpression
  Parameter: ParameterDeclaration
  PropertyAccessExpression: PropertyAccessExpression
  PropertyAssignment: PropertyAssignment
  PropertyDeclaration: PropertyDeclaration
  ReturnStatement: ReturnStatement
  ShorthandPropertyAssignment: ShorthandPropertyAssignment
  SourceFile: SourceFile
  StringLiteral: StringLiteral
  TypeReference: TypeReferenceNode
  VariableDeclaration: VariableDeclaration
  VariableStatement: VariableStatement
}

export type FunctionNode = ArrowFunction | FunctionExpression | FunctionDeclaration | MethodDeclaration

export function is<K extends keyof Kinds>(node: Node | undefined, kind: K): node is Kinds[K] {
  return node !== undefined && node.getKindName() === kind
}

export function isFunction(node: Node | undefined): node is FunctionNode {
  return (
    is(node, 'ArrowFunction') ||
    is(node, 'FunctionExpression') ||
    is(node, 'FunctionDeclaration') ||
    is(node, 'MethodDeclaration')
  )
}

const WRAPPERS: ReadonlySet<string> = new Set([
  'ParenthesizedExpression',
  'AsExpression',
  'SatisfiesExpression',
  'NonNullExpression',
  'AwaitExpression',
  'TypeAssertionExpression',
])

/** The expression without parentheses, casts, `!` and `await`. */
export function unwrap(node: Node): Node {
  let inner = node
  while (WRAPPERS.has(inner.getKindName())) {
    const next: Node | undefined = (inner as unknown as { getExpression(): Node }).getExpression()
    if (next === undefined) break
    inner = next
  }
  return inner
}

/** Every node below this one that has the kind, in the order of the text. */
export function descendants<K extends keyof Kinds>(node: Node, kind: K): Kinds[K][] {
  const found: Kinds[K][] = []
  node.forEachDescendant((child) => {
    if (is(child, kind)) found.push(child)
  })
  return found
}

export function ancestors(node: Node): Node[] {
  return node.getAncestors()
}

/** The statement of a block or file that holds the node. */
export function statementOf(node: Node): Node {
  let at = node
  for (;;) {
    const parent = at.getParent()
    if (parent === undefined || is(parent, 'SourceFile') || is(parent, 'Block')) return at
    if (parent.getKindName() === 'CaseClause' || parent.getKindName() === 'DefaultClause') return at
    if (parent.getKindName() === 'ClassDeclaration') return at
    at = parent
  }
}

/** The text of a literal without substitutions. */
export function literalText(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined
  const inner = unwrap(node)
  const kind = inner.getKindName()
  if (kind !== 'StringLiteral' && kind !== 'NoSubstitutionTemplateLiteral') return undefined
  return (inner as StringLiteral).getLiteralText()
}

/** `b` of `a.b`, and of `a?.b`. */
export function memberName(node: Node | undefined): string | undefined {
  return is(node, 'PropertyAccessExpression') ? node.getName() : undefined
}

/** The members of an object literal by name, without spreads and computed names. */
export function membersOf(
  object: ObjectLiteralExpression,
): Map<string, PropertyAssignment | ShorthandPropertyAssignment | MethodDeclaration> {
  const members = new Map<string, PropertyAssignment | ShorthandPropertyAssignment | MethodDeclaration>()
  for (const property of object.getProperties()) {
    if (
      is(property, 'PropertyAssignment') ||
      is(property, 'ShorthandPropertyAssignment') ||
      is(property, 'MethodDeclaration')
    ) {
      members.set(property.getName().replaceAll(/^['"]|['"]$/g, ''), property)
    }
  }
  return members
}

/** The value of a member: `b` of `a: b` and of the shorthand `b`. */
export function memberValue(property: Node | undefined): Node | undefined {
  if (is(property, 'PropertyAssignment')) return property.getInitializer()
  if (is(property, 'ShorthandPropertyAssignment')) return property.getNameNode()
  return undefined
}

export function hasSpread(object: ObjectLiteralExpression): boolean {
  return object.getProperties().some((property) => property.getKindName() === 'SpreadAssignment')
}

export function isTypeScript(file: SourceFile): boolean {
  return /\.[cm]?tsx?$/.test(file.getFilePath())
}
