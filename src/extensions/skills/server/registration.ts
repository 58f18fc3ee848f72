// One registered skill: what it serves at present, who may see it, and its files among the resources of the server.

import type { SkillOptions } from '../../../mcpserver/extensions/skill-options.ts'
import { type CompiledAccess, compileAccess } from '../../../mcpserver/lists/access.ts'
import type { MCPServer } from '../../../mcpserver/mcpserver.ts'
import type { ResourceHandle, ResourceOptions } from '../../../mcpserver/resources/resource.ts'
import { typeError } from '../../../primitives/help.ts'
import { ENTRY_FILE, uriOf } from '../format/skill-uri.ts'
import type { Served, ServedFile } from './served.ts'

/** The options that can change. */
export type ServingOptions = Omit<SkillOptions, 'path'>

export class Registration {
  /** The URI of its `SKILL.md`. */
  readonly key: string
  readonly #server: MCPServer
  /** The registered resources, by the path of their file. */
  readonly #resources = new Map<string, ResourceHandle>()
  #served: Served
  #options: ServingOptions
  #access: CompiledAccess
  #isEnabled = true

  /** Throws, and registers nothing, if a file can't be registered. */
  constructor(server: MCPServer, served: Served, options: ServingOptions) {
    this.key = uriOf(served.folder, ENTRY_FILE)
    this.#server = server
    this.#served = served
    this.#options = options
    this.#access = this.#compile(options)
    this.#add(served.files.values())
  }

  get served(): Served {
    return this.#served
  }

  get options(): ServingOptions {
    return this.#options
  }

  get access(): CompiledAccess {
    return this.#access
  }

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  get isListed(): boolean {
    return this.#options.listed !== false
  }

  /** Serves something else from now on, all of it at once. Throws, and changes nothing, if that is not possible. */
  change(served: Served, options: ServingOptions): void {
    if (served.folder !== this.#served.folder) {
      throw typeError(
        'bad-skill',
        `The skill ${this.key} would become ${uriOf(served.folder, ENTRY_FILE)}. Remove it and register the other one.`,
      )
    }
    const access = this.#compile(options)
    const before = this.#served
    this.#add(
      [...served.files.values()].filter(({ path }) => !this.#resources.has(path)),
      options,
    )
    this.#served = served
    this.#options = options
    this.#access = access
    for (const [path, resource] of this.#resources) {
      const file = served.files.get(path)
      if (file !== undefined) resource.update(this.#metaOf(file, options))
      else {
        resource.remove()
        this.#resources.delete(path)
      }
    }
    this.#announce(before)
  }

  enable(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
    for (const resource of this.#resources.values()) {
      if (isEnabled) resource.enable()
      else resource.disable()
    }
  }

  remove(): void {
    for (const resource of this.#resources.values()) resource.remove()
    this.#resources.clear()
  }

  #compile(options: ServingOptions): CompiledAccess {
    return compileAccess(`skill ${JSON.stringify(this.key)}`, options)
  }

  #add(files: Iterable<ServedFile>, options = this.#options): void {
    const added: string[] = []
    try {
      for (const file of files) {
        const read = (_: unknown, ctx: Parameters<ServedFile['read']>[0]) =>
          this.#served.files.get(file.path)?.read(ctx)
        const resource = this.#server.resource(file.uri, this.#metaOf(file, options), read)
        if (!this.#isEnabled) resource.disable()
        this.#resources.set(file.path, resource)
        added.push(file.path)
      }
    } catch (error) {
      for (const path of added) {
        this.#resources.get(path)?.remove()
        this.#resources.delete(path)
      }
      throw error
    }
  }

  /** Only `SKILL.md` is in `resources/list`: the entry of the skill lists the others. */
  #metaOf(file: ServedFile, { visible, scopes, listed = true }: ServingOptions): ResourceOptions {
    const { name, description, mimeType, size } = file.listed
    // A member that is undefined removes what an update found before.
    const meta = { name, description, mimeType, size, visible, scopes, listed: file.isEntryFile && listed }
    return meta as ResourceOptions
  }

  /** The files whose contents are not the same any more. */
  #announce({ files }: Served): void {
    for (const { path, uri, bytes } of this.#served.files.values()) {
      const before = files.get(path)
      if (before === undefined || isSame(before.bytes, bytes)) continue
      this.#server.notifyResourceUpdated(uri).catch(() => {})
    }
  }
}

/** Whether both have the same files, so that there is nothing to change. */
export function isSameServed(a: Served, b: Served): boolean {
  return (
    a.files.size === b.files.size && [...a.files].every(([path, { bytes }]) => isSame(bytes, b.files.get(path)?.bytes))
  )
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return false
  // A call for each byte would take a while for 16 MiB.
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}
