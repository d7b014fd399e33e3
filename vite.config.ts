import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { transform } from 'oxc-transform-react'
import { defineConfig, type Plugin } from 'vite'

/** Where the app is served. */
const base = '/web/'

/**
 * The React Compiler where lists and forms draw a lot; in small or rarely drawn parts remembering costs more script than it
 * saves. Not by the option of Vite's React plugin, which knows only these files then and refreshes no others in development.
 */
const reactCompiler: Plugin = {
  name: 'easydash:react-compiler',
  enforce: 'pre',
  transform: {
    filter: {
      id: /\/web\/(?:documents\/(?:activity|bulk|form|list|query|values)|pages\/(?:dashboard|servers|sites)|shell\/search)\/[^?]*\.tsx?$/,
    },
    async handler(source, id) {
      const { code, map, errors } = await transform(id, source, {
        jsx: 'preserve',
        sourcemap: this.environment.config.command === 'serve',
      })
      for (const { message, codeframe } of errors) this.error(codeframe ?? message)
      return map === undefined ? { code } : { code, map }
    },
  },
}

/**
 * The web app. `index.html` keeps `__NAME__` placeholders that the server fills in for each request (CSRF token,
 * nonce, boot data), so it is a template, not a static file.
 */
export default defineConfig({
  root: 'web',
  base,
  publicDir: 'public',
  plugins: [react(), reactCompiler, tailwind()],
  // In development the server mounts Vite as middleware and answers index.html itself.
  appType: 'custom',
  // Also on the tags Vite adds itself: the policy allows inline scripts and styles by nonce only.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    // Every browser the app supports has modulepreload; the polyfill would be an inline script more.
    modulePreload: { polyfill: false },
    // A data: URL needs an exception in the content security policy; files do not.
    assetsInlineLimit: 0,
    // One style sheet, with the page: parts that are loaded later are script alone.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // What is loaded together is one file, each with all that it imports and no earlier one has: React, what every page
        // needs (public pages come with it), the shell, lists, and what else many signed-in pages share. What a page shares
        // with its own tabs alone stays out of it. Pages without a list load none (server/wire/pages/shell.ts).
        codeSplitting: {
          groups: [
            { name: 'react', test: /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
            // The entry keeps a file of its own, whose name differs for each build (web/lib/api/newer-build.ts).
            { name: 'main', tags: ['$initial'], test: (id) => !/[\\/]web[\\/](?:index\.html|main\.tsx)$/.test(id) },
            // What these two pages share with the shell, so that neither loads the other.
            {
              name: 'shared',
              test: /[\\/](?:recent-storage|format-day|log-out|use-now|session[\\/]invitation|detail-list|role-labels?)\.tsx?$/,
            },
            // With what starts the first reads of lists: as a file of its own, each of the others would come later.
            {
              name: 'shell',
              test: /[\\/]web[\\/](?:pages[\\/].*early-reads\.ts|shell[\\/]frame[\\/]app-shell\.tsx|ui[\\/]use-open-in-view\.ts)$/,
            },
            // The library of forms and what is made with it: lists load it later.
            {
              name: 'forms',
              test: /[\\/]node_modules[\\/]react-hook-form[\\/]|[\\/]web[\\/](?:documents[\\/](?:form[\\/](?!messages|create-button)|actions[\\/](?:action-dialog|password-check))|features[\\/]members[\\/]member-dialogs|ui[\\/]form[\\/](?:use-api-form|suggest-input|radio-card|segmented))/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'list-forms',
              test: /[\\/]web[\\/]documents[\\/](?:bulk[\\/]bulk-d|list[\\/](?:filter-editor|view-dialog))/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'lists',
              // Menus of rows need the choices on pages without a list: two files that import each other don't start.
              test: /[\\/]web[\\/]documents[\\/](?:list|bulk)[\\/](?!bulk-choices)|[\\/]node_modules[\\/]@tanstack[\\/](?:react-)?(?:table|virtual|store)/,
              includeDependenciesRecursively: false,
            },
            // What pages with tabs need of the library of layers.
            { name: 'tabs', test: /[\\/]web[\\/]ui[\\/](?:tabs|form[\\/]switch)\.tsx$/ },
            // What five pages and tabs share. What fewer do has files of its own: uploads, the socket, the wording of
            // activities and the editor of code would make each page wait for twice as much script.
            {
              name: 'pages',
              minShareCount: 5,
              test: (id) =>
                !/[\\/]web[\\/]pages[\\/]|[\\/]shared[\\/](?:responses[\\/]|activity-wording\.ts$)|[\\/]activity-text\.ts$|[\\/]node_modules[\\/](?:@codemirror|@lezer|@marijn|style-mod|crelt|w3c-keyname)[\\/]/.test(
                  id,
                ),
            },
            // Small parts that two to four of them share: on HTTP/1.1, each file of their own would be one more wait. None may
            // import what is large.
            {
              name: 'parts',
              minShareCount: 2,
              includeDependenciesRecursively: false,
              test: /[\\/]lucide-react[\\/]|hover-card|[\\/]web[\\/](?:ui|documents[\\/](?:values|query))[\\/]|[\\/](?:can-create-servers|create-button|plan-(?:messages|nudge)|site-card(?:-messages)?|thumbnail|use-site-counts|start-bulk-run|staging-badge|site-notice|last-backup|site-problem|storage-details|wordpress-version|server-(?:problem|location|mark)|suggestions|waits-for|member-roles|csv|copy-action-button|failed-job)\.tsx?$|[\\/]documents[\\/]jobs[\\/]messages\.ts$|[\\/]web[\\/](?:pages[\\/](?:users[\\/]messages|servers[\\/](?:capacity|servers-off|messages))|features[\\/]members[\\/]change-role)\.tsx?$|[\\/]shared[\\/]responses[\\/](?:members|invitations)\.ts$|[\\/]pages[\\/]sites[\\/](?:bulk[\\/])?messages\.ts$/,
            },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
})
