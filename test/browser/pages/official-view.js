// A view on the official package, as its users write one.
import { App } from '@modelcontextprotocol/ext-apps'

const show = (id, text) => {
  document.querySelector(`#${id}`).textContent = text
}
const app = new App({ name: 'official view', version: '1.0.0' }, { availableDisplayModes: ['inline', 'fullscreen'] })
app.ontoolinput = ({ arguments: args }) => show('input', JSON.stringify(args))
app.onhostcontextchanged = ({ displayMode }) => show('mode', displayMode)
app.onteardown = async () => {
  await app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'closing' }] })
  return {}
}
app.ontoolresult = async ({ content, structuredContent }) => {
  show('result', `${content[0].text} ${JSON.stringify(structuredContent)}`)
  const refreshed = await app.callServerTool({ name: 'refresh', arguments: {} })
  show('call', refreshed.content[0].text)
  const { contents } = await app.readServerResource({ uri: 'notes://today' })
  show('read', contents[0].text)
  await app.callServerTool({ name: 'delete_all', arguments: {} }).then(
    () => show('refused', 'not refused'),
    (error) => show('refused', error.message),
  )
  await app.updateModelContext({ content: [{ type: 'text', text: 'Paris is shown' }] })
  await app.openLink({ url: 'https://example.com/weather' })
  const { mode } = await app.requestDisplayMode({ mode: 'fullscreen' })
  show('asked', mode)
  await fetch(document.body.dataset.undeclared).then(
    () => show('fetch', 'fetched'),
    () => show('fetch', 'blocked'),
  )
  show('done', 'done')
}
await app.connect()
show('theme', app.getHostContext()?.theme)
