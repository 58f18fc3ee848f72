// Weight: what the list of tools costs a model, by tool and by part. An estimate.
import { useEffect } from 'preact/hooks'
import { cleanLine } from '../parts/text.ts'
import { Empty } from '../parts/ui.tsx'
import { lists, loadList } from '../state/lists.ts'
import { goTo } from '../state/route.ts'
import { connection } from '../state/store.ts'
import { toTokens, weigh } from '../state/weight.ts'

export function WeightScreen() {
  const { id, status } = connection.value ?? {}
  useEffect(() => void loadList('tools'), [id, status])
  const weights = lists.value.tools.items.map(weigh).sort((a, b) => b.total - a.total)
  const total = weights.reduce((sum, { total: one }) => sum + one, 0)
  const heaviest = weights[0]?.total ?? 1
  if (weights.length === 0) {
    return (
      <div class="page">
        <h1>Weight</h1>
        <Empty title="The server has no tools to weigh." />
      </div>
    )
  }
  const share = (size: number) => ({ width: `${(size / heaviest) * 100}%` })
  return (
    <div class="page wide-page" data-state="ready">
      <h1>Weight</h1>
      <p>
        <strong>{total.toLocaleString('en')} characters</strong>, about {toTokens(total).toLocaleString('en')} tokens{' '}
        <em>(estimate)</em>
      </p>
      <p class="help">
        The estimate counts the characters of names, descriptions and input schemas, and takes four characters for a
        token. Models count differently.
      </p>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Weight of each tool">
        <table class="table weights">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Share</th>
              <th scope="col">Name</th>
              <th scope="col">Description</th>
              <th scope="col">Schema</th>
              <th scope="col">Tokens (estimate)</th>
              <th scope="col">Heaviest part</th>
            </tr>
          </thead>
          <tbody>
            {weights.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => goTo('tools', one.name)}>
                    {cleanLine(one.name)}
                  </button>
                </th>
                <td class="share-cell">
                  <span class="share" aria-hidden="true">
                    <span class="share-name" style={share(one.nameSize)} />
                    <span class="share-description" style={share(one.descriptionSize)} />
                    <span class="share-schema" style={share(one.schemaSize)} />
                  </span>
                  <span class="visually-hidden">{Math.round((one.total / total) * 100)} %</span>
                </td>
                <td>{one.nameSize}</td>
                <td>{one.descriptionSize}</td>
                <td>{one.schemaSize}</td>
                <td>{toTokens(one.total)}</td>
                <td>{cleanLine(one.cause)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="legend muted">
        <span>
          <span class="key share-name" /> name
        </span>
        <span>
          <span class="key share-description" /> description
        </span>
        <span>
          <span class="key share-schema" /> schema
        </span>
      </p>
    </div>
  )
}
