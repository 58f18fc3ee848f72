import { Client, MCPServer } from 'mcpwire'

const weather = new MCPServer('weather')
weather.tool('today', () => 'sunny')
weather.resource('weather://oslo', () => 'sunny in Oslo')

const main = new MCPServer('main')
main.tool('hello', () => 'Hello')
const mounted = main.mount(weather, { as: 'weather' })

await using client = await Client.connect(main)
const names = async () => (await client.listTools()).tools.map((tool) => tool.name).join(', ')
console.log(await names())
console.log((await client.callTool('weather_today')).content)

weather.tool('tomorrow', () => 'rain')
console.log(await names())

mounted.disable()
console.log(await names())
