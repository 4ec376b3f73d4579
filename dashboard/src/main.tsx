/* oxlint-disable import/no-unassigned-import -- a style sheet has nothing to assign */
import '@mantine/core/styles.layer.css'
import './theme.css'
/* oxlint-enable import/no-unassigned-import */
import { MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isEntrance } from './entrance/entrance-pages.ts'
import { loadLook, look } from './lib/look.ts'
import { installSingleClicks } from './lib/single-clicks.ts'
import { preferredLanguage } from './texts/language.ts'
import { loadTexts, type Part } from './texts/load-texts.ts'
import { TextsProvider } from './texts/TextsProvider.tsx'
import { cssVariables, themeFor } from './theme.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

// Two applications share the paths. The entrance (sign-in, consent and similar pages) must load fast, also on a phone, so it
// does without the router and the query library of the signed-in part.
const inEntrance = isEntrance(location.pathname)
// Not a conditional around the two imports: the minifier joins its branches, and one loses its style sheet.
const apps = {
  entrance: () => import('./entrance/EntranceApp.tsx'),
  dashboard: () => import('./shell/DashboardApp.tsx'),
}
const parts: Part[] = inEntrance
  ? ['shared', 'entrance']
  : ['shared', 'failures', 'refusals', 'account', 'ssh', 'admin', 'applications', 'people', 'sites']
const language = preferredLanguage()

const [{ App }, texts] = await Promise.all([
  apps[inEntrance ? 'entrance' : 'dashboard'](),
  loadTexts(language, parts),
  loadLook(),
])

installSingleClicks()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={themeFor(look().accentColor)} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <TextsProvider language={language} texts={texts}>
        <ErrorBoundary>
          <App />
        </ErrorBoundary>
      </TextsProvider>
    </MantineProvider>
  </StrictMode>,
)
