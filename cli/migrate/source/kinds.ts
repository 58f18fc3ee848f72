// What an expression is: a server, a client, a transport. Follows constants, parameters, members and returned values through the
// project, so that JavaScript without types is understood too.
import type { CallExpression, Identifier, Node, ParameterDeclaration } from 'ts-morph'
import type { Migration } from './migration.ts'
import { declarationsOf, resolveFunction, returnsOf, usesOf } from './names.ts'
import { descendants, type FunctionNode, is, isFunction, membersOf, memberValue, unwrap } from './nodes.ts'
import { CLASS_KINDS, type Kind } from './sdk-names.ts'

const MAX_DEPTH = 12

export class Kinds {
  readonly #migration: Migration
  /** Parameters without a type, by what callers pass. */
  readonly #parameters = new Map<ParameterDeclaration, Kind>()
  readonly #calls: readonly CallExpression[]
  /** Until a parameter is found to be something. */
  readonly #known = new Map<Node, Kind | undefined>()

  constructor(migration: Migration) {
    this.#migration = migration
    this.#calls = [...migration.files].flatMap((file) => descendants(file, 'CallExpression'))
    this.infer()
  }

  get calls(): readonly CallExpression[] {
    return this.#calls
  }

  /** All parameters of a kind, also those that get it from their callers. */
  parametersOf(...kinds: readonly Kind[]): ParameterDeclaration[] {
    const all = [...this.#migration.files].flatMap((file) => descendants(file, 'Parameter'))
    return all.filter((parameter) => kinds.includes(this.#ofDeclaration(parameter, 0) as Kind))
  }

  /** Says what a parameter is; `infer` then finds the functions that it is passed to. */
  setParameter(parameter: ParameterDeclaration, kind: Kind): void {
    this.#parameters.set(parameter, kind)
    for (const [node, known] of this.#known) if (known === undefined) this.#known.delete(node)
  }

  /** Parameters that get a value of these kinds from a call, until nothing new is found. */
  infer(): void {
    for (let round = 0; round < MAX_DEPTH; round++) {
      let hasChanged = false
      for (const call of this.#calls) {
        const args = call.getArguments()
        if (args.length === 0) continue
        const known = args.map((arg) => this.of(arg))
        if (known.every((kind) => kind === undefined)) continue
        const fn = resolveFunction(call.getExpression())
        const parameters = fn?.getParameters() ?? []
        known.forEach((kind, index) => {
          const parameter = parameters[index]
          if (kind === undefined || parameter === undefined || this.#parameters.has(parameter)) return
          this.setParameter(parameter, kind)
          hasChanged = true
        })
      }
      if (!hasChanged) return
    }
  }

  of(node: Node, depth = 0): Kind | undefined {
    if (depth > MAX_DEPTH) return undefined
    const inner = unwrap(node)
    if (this.#known.has(inner)) return this.#known.get(inner)
    const kind = this.#find(inner, depth)
    // A search that was given up deep inside says nothing about the node.
    if (kind !== undefined || depth === 0) this.#known.set(inner, kind)
    return kind
  }

  #find(inner: Node, depth: number): Kind | undefined {
    if (is(inner, 'NewExpression')) return CLASS_KINDS.get(this.#migration.sdkName(inner.getExpression()) ?? '')
    if (is(inner, 'Identifier')) return this.#ofName(inner, depth)
    if (is(inner, 'PropertyAccessExpression')) {
      if (inner.getName() === 'server' && this.of(inner.getExpression(), depth + 1) === 'mcp-server')
        return 'low-server'
      return this.#ofName(inner.getNameNode(), depth)
    }
    if (is(inner, 'CallExpression')) return this.#ofReturned(inner, depth)
    return undefined
  }

  #ofName(name: Node, depth: number): Kind | undefined {
    for (const declaration of declarationsOf(name)) {
      const kind = this.#ofDeclaration(declaration, depth + 1)
      if (kind !== undefined) return kind
    }
    return undefined
  }

  #ofDeclaration(declaration: Node, depth: number): Kind | undefined {
    if (is(declaration, 'Parameter'))
      return this.#parameters.get(declaration) ?? this.#ofType(declaration.getTypeNode())
    if (is(declaration, 'VariableDeclaration') || is(declaration, 'PropertyDeclaration')) {
      const value = declaration.getInitializer()
      const own = value === undefined ? undefined : this.of(value, depth)
      return own ?? this.#ofType(declaration.getTypeNode()) ?? this.#ofAssignments(declaration.getNameNode(), depth)
    }
    if (is(declaration, 'BindingElement')) return this.#ofElement(declaration, depth)
    if (is(declaration, 'PropertyAssignment') || is(declaration, 'ShorthandPropertyAssignment')) {
      const value = memberValue(declaration)
      return value === undefined ? undefined : this.of(value, depth)
    }
    if (declaration.getKindName() === 'PropertySignature') {
      return this.#ofType((declaration as unknown as { getTypeNode(): Node | undefined }).getTypeNode())
    }
    // `this.server = …` in JavaScript.
    if (is(declaration, 'PropertyAccessExpression')) {
      const assignment = declaration.getParent()
      if (is(assignment, 'BinaryExpression') && assignment.getLeft() === declaration) {
        return this.of(assignment.getRight(), depth)
      }
    }
    return undefined
  }

  /** `{ server }` of `const { server } = createServer()`. */
  #ofElement(element: Node, depth: number): Kind | undefined {
    if (!is(element, 'BindingElement')) return undefined
    const declaration = element.getParent().getParent()
    if (!is(declaration, 'VariableDeclaration')) return undefined
    const value = declaration.getInitializer()
    if (value === undefined) return undefined
    const name = element.getPropertyNameNode()?.getText() ?? element.getName()
    const inner = unwrap(value)
    const fn = is(inner, 'CallExpression') ? resolveFunction(inner.getExpression()) : undefined
    for (const returned of fn === undefined ? [value] : returnsOf(fn)) {
      const object = unwrap(returned)
      if (!is(object, 'ObjectLiteralExpression')) continue
      const member = memberValue(membersOf(object).get(name))
      const kind = member === undefined ? undefined : this.of(member, depth)
      if (kind !== undefined) return kind
    }
    return undefined
  }

  #ofReturned(call: CallExpression, depth: number): Kind | undefined {
    const fn: FunctionNode | undefined = resolveFunction(call.getExpression())
    if (fn === undefined || !isFunction(fn)) return undefined
    for (const returned of returnsOf(fn)) {
      const kind = this.of(returned, depth + 1)
      if (kind !== undefined) return kind
    }
    return undefined
  }

  #ofType(type: Node | undefined): Kind | undefined {
    if (type === undefined) return undefined
    const names = is(type, 'TypeReference') ? [type] : descendants(type, 'TypeReference')
    for (const reference of names) {
      const name = this.#migration.sdkName(reference.getTypeName())
      const kind = name === undefined ? undefined : CLASS_KINDS.get(name)
      if (kind !== undefined) return kind
      if (name === 'RequestHandlerExtra' || name === 'ServerContext') return 'extra'
    }
    return undefined
  }

  /** `let transport` that gets its value later. */
  #ofAssignments(name: Node, depth: number): Kind | undefined {
    if (!is(name, 'Identifier') || depth > MAX_DEPTH - 2) return undefined
    for (const use of usesOf(name as Identifier, this.#migration.files)) {
      const target = is(use.getParent(), 'PropertyAccessExpression') ? use.getParent() : use
      const assignment = target?.getParent()
      if (!is(assignment, 'BinaryExpression') || assignment.getLeft() !== target) continue
      if (assignment.getOperatorToken().getText() !== '=') continue
      const kind = this.of(assignment.getRight(), depth + 2)
      if (kind !== undefined) return kind
    }
    return undefined
  }
}
