import { ActionIcon, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'

// Few visits use it: it is loaded when it is opened for the first time.
const CommandPalette = lazy(async () => ({ default: (await import('./CommandPalette.tsx')).CommandPalette }))

const isMac = navigator.userAgent.includes('Mac')

/** Opens the search over everything, by click or by Ctrl K, on a Mac ⌘ K. */
export function PaletteButton() {
  const texts = useTexts('account').palette
  const [isOpen, setIsOpen] = useState(false)
  const open = () => setIsOpen(true)
  // Also while the focus is in a field: browsers use the keys for their own search otherwise.
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <Tooltip label={texts.open(isMac ? '⌘ K' : texts.keys)}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={texts.title}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={open}
        >
          <Icon name="search" size={20} />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <Suspense>
          <CommandPalette onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
