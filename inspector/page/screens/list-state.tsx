// How a list is: loading, failed, empty, or changed since it was loaded.
import type { ListKind } from '../../protocol/state.ts'
import { cleanLine } from '../parts/text.ts'
import { lists, loadList } from '../state/lists.ts'
import { connection } from '../state/store.ts'

export function ListState({ kind, noun, isStale }: { kind: ListKind; noun: string; isStale: boolean }) {
  const { status, items, problem } = lists.value[kind]
  const again = () => void loadList(kind, true)
  if (connection.value?.status !== 'ready' && items.length === 0) {
    return <p class="hint">The server is not connected.</p>
  }
  if (status === 'loading') return <p class="hint">Loading…</p>
  if (status === 'failed') {
    return (
      <p class="issue" role="alert">
        {cleanLine(problem ?? '')}{' '}
        <button type="button" class="link" onClick={again}>
          Load again
        </button>
      </p>
    )
  }
  if (isStale) {
    return (
      <p class="stale" role="status" data-state="changed">
        The server changed its {noun}.{' '}
        <button type="button" class="link" onClick={again}>
          Refresh
        </button>
      </p>
    )
  }
  return status === 'ready' && items.length === 0 ? <p class="hint">The server has no {noun}.</p> : null
}
