// What the parts of an `MCPServer` share: made once with the server, asked by every request.
import type { AmbientStorage } from '../../primitives/platform.ts'
import type { SchemaEngine } from '../../schema/engine.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ServerCore } from '../../server/core.ts'
import type { ReadResourceResult } from '../../types/features/resources.ts'
import type { ListChange } from '../../wire/method-rows.ts'
import type { InteractionOptions } from '../asking/options.ts'
import type { Caller, Context } from './context.ts'

export type OnDuplicate = 'error' | 'replace'

export interface Host {
  readonly server: ServerCore
  /** Validates schemas that are plain JSON Schema. */
  readonly engine: SchemaEngine
  /** Arguments are taken as they are, or not at all. */
  readonly strict: boolean
  /** What handlers throw is told to the model. */
  readonly exposeErrors: boolean
  /** Whether the server declares that it logs to its clients. */
  readonly logs: boolean
  readonly onDuplicate: OnDuplicate
  /** Without it every list is one page. */
  readonly pageSize: number | undefined
  readonly interaction: InteractionOptions
  /** Follows handlers with their context, where the author asked for that. */
  readonly ambient: AmbientStorage<Context> | undefined
  /** Tells clients of both eras, once for all changes of a turn. */
  announce(change: ListChange): void
  /** A read on behalf of another request, which answers the questions too, within the time that it has. */
  readResource(request: ServerRequestContext, caller: Caller, uri: string): Promise<ReadResourceResult>
}
