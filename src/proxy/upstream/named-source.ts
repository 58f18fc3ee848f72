// A source under another identity at the front.
import type { ServerRequestContext } from '../../server/context.ts'
import type { Source, SourceDescription } from '../../server/source.ts'

export interface Identity {
  readonly name?: string | undefined
  readonly version?: string | undefined
}

/** The name alone keeps the rest of what the source is. */
export function named(source: Source, { name, version }: Identity): Source {
  if (name === undefined && version === undefined) return source
  const describe = async (request: ServerRequestContext): Promise<SourceDescription> => {
    const { info, ...rest } = await source.describe(request)
    const own = { name: name ?? info?.name ?? 'proxy', version: version ?? info?.version ?? '0.0.0' }
    return { ...rest, info: { ...info, ...own } }
  }
  return {
    describe,
    list: (...args) => source.list(...args),
    handle: (...args) => source.handle(...args),
    notify: (...args) => source.notify?.(...args),
    mirrored: (...args) => source.mirrored?.(...args),
    watch: (...args) => source.watch(...args),
    close: async () => source.close?.(),
  }
}
