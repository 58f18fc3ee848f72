// Which transforms stand in front of the whole of a server, where names are those that its clients use.
import type { ServerCore } from '../../server/core.ts'
import type { Source } from '../../server/source.ts'

const layers = new WeakMap<ServerCore, WeakSet<Source>>()

export function addLayer(server: ServerCore, layer: Source): void {
  const known = layers.get(server) ?? new WeakSet<Source>()
  known.add(layer)
  layers.set(server, known)
}

export function isLayerOf(server: ServerCore, layer: Source): boolean {
  return layers.get(server)?.has(layer) === true
}
