/* oxlint-disable import/no-unassigned-import -- a style sheet has nothing to assign */
import '@mantine/core/styles.layer.css'
import './theme.css'
/* oxlint-enable import/no-unassigned-import */
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { type ComponentType, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadAppearance, appearance } from './lib/appearance.ts'
import { preferredLanguage } from './texts/language.ts'
import { loadTexts, type Part } from './texts/load-texts.ts'
import { TextsProvider } from './texts/TextsProvider.tsx'
import { cssVariables, themeFor } from './theme.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

/** Draws an application as soon as its texts are there, and what the installation looks like is known. */
export async function start(App: ComponentType, parts: Part[]): Promise<void> {
  const language = preferredLanguage()
  const [texts] = await Promise.all([loadTexts(language, parts), loadAppearance()])

  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no root element.')
  createRoot(root).render(
    <StrictMode>
      {/* It follows the direction of the document, which loading the texts sets. */}
      <DirectionProvider>
        <MantineProvider
          theme={themeFor(appearance().accentColor)}
          cssVariablesResolver={cssVariables}
          defaultColorScheme="auto"
        >
          <TextsProvider language={language} texts={texts}>
            <ErrorBoundary>
              <App />
            </ErrorBoundary>
          </TextsProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  )
}
