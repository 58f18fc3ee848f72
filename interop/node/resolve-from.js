// Lets the programs in this folder import packages from the folder that INTEROP_PACKAGES names.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const here = new URL('.', import.meta.url).href
const parentURL = pathToFileURL(`${process.env.INTEROP_PACKAGES}/program.js`).href

registerHooks({
  resolve(specifier, context, next) {
    const isPackage = context.parentURL?.startsWith(here) === true && !/^(?:[./]|node:|file:)/.test(specifier)
    return next(specifier, isPackage ? { ...context, parentURL } : context)
  },
})
