import { Client, MCPServer } from 'mcpwire'
import { version } from 'mcpwire/transforms'

const shop = new MCPServer('shop')
shop.tool('price', { version: '1' }, () => '12')
shop.tool('price', { version: '2' }, () => '12.00 EUR')

const main = new MCPServer('main')
main.mount(shop, { as: 'new' })
main.mount(shop, { as: 'old', transforms: [version({ below: '2' })] })

await using client = await Client.connect(main)
for (const name of ['new_price', 'old_price']) {
  console.log(name, (await client.callTool(name)).content)
}
const old = await client.callTool('new_price', {}, { meta: { 'mcpwire/version': '1' } })
console.log(old.content)
