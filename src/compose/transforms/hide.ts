// `hide`, `only` and `unlisted`: which components clients see.
import { COMPONENT_LISTS, type ComponentList } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { expectNames } from './expected-names.ts'
import type { ComponentMap } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'
import { type ComponentMatch, type Matcher, readMatch } from './match.ts'
import { UnlistedLayer } from './unlisted-layer.ts'

/** Hides components: they are in no list, and using them fails as if they did not exist. */
export function hide(match: ComponentMatch): Transform {
  const matcher = readMatch('hide()', match)
  return filterLayer('hide()', matcher, false)
}

/** Shows nothing but these components; kinds of components that the match says nothing about stay as they are. */
export function only(match: ComponentMatch): Transform {
  const matcher = readMatch('only()', match)
  return filterLayer('only()', matcher, true)
}

/**
 * Leaves components out of lists, and lets callers use them all the same, by the names that they know from elsewhere. What nobody must
 * use is a matter of `hide()`.
 */
export function unlisted(match: ComponentMatch): Transform {
  const matcher = readMatch('unlisted()', match)
  return (source) => new UnlistedLayer(source, matcher, expectNames('unlisted()', source, matcher.exact))
}

function filterLayer(owner: string, matcher: Matcher, showsMatching: boolean): Transform {
  const { testKey } = matcher
  const lists = COMPONENT_LISTS.filter((list) => matcher.concerns(list))
  const maps = Object.fromEntries(
    lists.map((list): [ComponentList, ComponentMap] => [
      list,
      (item, request) => (matcher.test(list, item, request) === showsMatching ? item : undefined),
    ]),
  )
  return (source) => {
    return new MapLayer(source, {
      maps,
      expected: expectNames(owner, source, matcher.exact),
      isPerCaller: matcher.isPerCaller,
      ...(testKey !== undefined && {
        keyOf: (list, key) => (testKey(list, key) === showsMatching ? key : undefined),
        isDecidedByKey: true,
      }),
    })
  }
}
