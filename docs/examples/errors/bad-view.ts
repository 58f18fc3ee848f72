import { MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'

const server = new MCPServer('demo', { extensions: [apps()] })
server.app('chart.html', { html: '<!doctype html><p>Chart</p>' })
