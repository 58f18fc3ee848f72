// What `MCPServer.mount` loads with the first mount.
import { type CompositeOptions, CompositeSource } from './composite-source.ts'
import { readNaming } from './names.ts'

/** A composite with the names that mounts get. */
export function createComposite(options: Omit<CompositeOptions, 'naming'>): CompositeSource {
  return new CompositeSource({ ...options, naming: readNaming('mount()') })
}
