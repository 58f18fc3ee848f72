// Lets a program import packages from the folder that PACKAGES_FOLDER names, wherever the program is.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const parentURL = pathToFileURL(`${process.env.PACKAGES_FOLDER}/program.js`).href
const program = pathToFileURL(process.argv[1]).href

registerHooks({
  resolve(specifier, context, next) {
    const isPackage = context.parentURL === program && !/^(?:[./]|node:|file:)/.test(specifier)
    return next(specifier, isPackage ? { ...context, parentURL } : context)
  },
})
