// A transform that stays outside of those that are added after it, which are put below it.
import type { Source } from '../../server/source.ts'
import { keepOutermost, type Movable, type Transform } from '../sources/transform.ts'
import { Layer } from './layer.ts'

export function staysOutermost(transform: Transform): Transform {
  return keepOutermost(transform, (source) => new Below(source))
}

class Below extends Layer implements Movable {
  get source(): Source {
    return this.inner
  }

  set source(source: Source) {
    this.inner = source
  }
}
