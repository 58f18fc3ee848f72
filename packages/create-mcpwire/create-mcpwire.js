#!/usr/bin/env node
// npm create mcpwire: runs `mcpwire init` of the package that it depends on, in this process.
import { readFileSync } from 'node:fs'

const manifest = import.meta.resolve('mcpwire/package.json')
const { bin } = JSON.parse(readFileSync(new URL(manifest), 'utf8'))

process.argv.splice(2, 0, 'init')
await import(new URL(bin.mcpwire, manifest).href)
