// mcpwire/extensions/apps: HTML views for tools, and what hosts need to show them.
export { apps } from '../../extensions/apps/apps.ts'
