import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { PUBLIC_PAGES } from '../src/platform/http/dashboard-pages.ts'

const server = process.env.LATCHKEY_SERVER ?? 'http://localhost:3000'

// What every public page is made of, in one chunk: three dozen small ones compress worse and would miss the size budget.
const PUBLIC_PARTS =
  /@mantine.core.esm.(core|components.(ActionIcon|Alert|Anchor|Box|Button|CloseButton|Divider|Group|Input|InputBase|InputsGroup|Loader|Paper|PasswordInput|Skeleton|Stack|Text|TextInput|Title|Transition|UnstyledButton))\W|@mantine.form|fast-deep-equal|klona|openapi-fetch|dashboard.src.(api|public-pages|lib.(failure-sentence|field-issue|issue-sentence|passkey-failure|unsaved-changes|use-submit|return-to|appearance)|ui.(ApplicationLogo|ErrorBoundary|FailureAlert|Form\.|Icon|Logo|DisplayMenus)|texts.TextsProvider|session.(tell-tabs|remembered-accounts)|sign-in.(AccountLine|SignInHeading|sign-in-target)|paths|theme)|@simplewebauthn/

// Needed by those who make a passkey, and not by those who sign in.
const NEW_PASSKEY_PARTS = /dashboard.src.lib.create-passkey|@simplewebauthn.*Registration/

/** What asks somebody who is signed in to prove it. Each chunk is named in the one of the public pages. */
const PROOF_PARTS = /dashboard.src.(session.ProofForm|ui.SecondStepFields)/

/** What the page of a device shares with that of consent, and with the signed-in part. */
const DECISION_PARTS = /dashboard.src.(consent.ScopeList|session.use-asked-proof)/

/**
 * Mantine with what it needs, and what only texts of the signed-in part import. Who needs these can't be seen here, because
 * Mantine's modules are all behind one; what the public pages need is named above.
 */
const SIGNED_IN_PARTS =
  /@mantine.(core|hooks).esm(?!.components.Container)\W|@floating-ui|react-(remove-scroll|style-singleton)|use-(callback-ref|sidecar)|tslib|get-nonce|dashboard.src.texts.(plural|as-text)\W/

/** Whether every way to a module leads through the signed-in part. */
function isSignedInOnly(id: string, modules: Rolldown.ChunkingContext, seen = new Set<string>()): boolean {
  if (/dashboard.src.start-dashboard\W/.test(id) || seen.has(id)) return true
  seen.add(id)
  const { importers = [], dynamicImporters = [] } = modules.getModuleInfo(id) ?? {}
  const from = [...importers, ...dynamicImporters]
  return from.length > 0 && from.every((importer) => isSignedInOnly(importer, modules, seen))
}

/** What several pages share. A page that is made of eighty small chunks waits a second longer for them on a phone. */
const signedIn: Rolldown.CodeSplittingGroup = {
  name: (id, modules) => (SIGNED_IN_PARTS.test(id) || isSignedInOnly(id, modules) ? 'pages' : null),
  minShareCount: 2,
  includeDependenciesRecursively: false,
}

/** Compresses once, at build time and at the highest level, what the server would otherwise compress at every request. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (!/\.(js|css|svg)$/.test(name)) continue
          const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
          this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotli })
          this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(content, { level: 9 }) })
        }
      },
    },
  }
}

/** Answers as the server does, which has a document for the public pages and one for everything else. */
function servePublicPages(): Plugin {
  return {
    name: 'serve-public-pages',
    apply: 'serve',
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        const [path = ''] = request.url?.split('?') ?? []
        if (PUBLIC_PAGES.includes(path)) request.url = '/public-pages.html'
        next()
      })
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), precompress(), servePublicPages()],
  build: {
    manifest: 'manifest.json',
    target: 'es2023',
    // Browsers that know light-dark(). For older ones it would become two variables that nothing sets, and every colour that
    // is made with it would be lost, the outline of the focus among them.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // All styles are one small file: each further request would keep a script waiting.
    cssCodeSplit: false,
    // Data URLs for fonts and images would need a wider content security policy.
    assetsInlineLimit: 0,
    // The largest is a dictionary that is loaded when somebody chooses a password.
    chunkSizeWarningLimit: 850,
    rolldownOptions: {
      // Two applications: what people see before they have signed in must load fast, also on a phone, so it does without the
      // router and the query library of the rest.
      input: ['public-pages.html', 'index.html'].map((name) => join(import.meta.dirname, name)),
      checks: { pluginTimings: false },
      // Its package does not say that its modules do nothing when they are loaded, so all of them would be loaded with one.
      treeshake: { moduleSideEffects: [{ test: /@simplewebauthn/, sideEffects: false }] },
      output: {
        codeSplitting: {
          groups: [
            { name: 'new-passkey', test: NEW_PASSKEY_PARTS, priority: 2, includeDependenciesRecursively: false },
            { name: 'proof', test: PROOF_PARTS, priority: 2, includeDependenciesRecursively: false },
            { name: 'decision', test: DECISION_PARTS, priority: 2, includeDependenciesRecursively: false },
            { name: 'public-pages', test: PUBLIC_PARTS, priority: 1 },
            signedIn,
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    // The rule for passwords is the server's own file.
    fs: { allow: ['..'] },
    // The session cookie and the WebAuthn origin are the page's own, so the server must run with DASHBOARD_ORIGIN set to this address.
    proxy: { '/api': server, '/oauth': server, '/.well-known': server, '/ssh/ca.pub': server, '/ssh/krl': server },
  },
})
