import { createTheme, mergeThemeOverrides, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { accentShades } from '../../src/platform/colors/accent-shades.ts'
import { ignoreHeldEnter } from './lib/use-submit.ts'

const pine: MantineColorsTuple = [
  '#edf8f6', '#d9eeea', '#b0dcd4', '#84c9bd', '#5fb8aa', '#47ad9d', '#2f9485', '#1f7d70', '#15675c', '#0b4f46',
] // prettier-ignore
const brass: MantineColorsTuple = [
  '#fbf6ea', '#f3e8cf', '#e6d09f', '#d9b76b', '#cda142', '#b98a3e', '#94691f', '#7c5716', '#654610', '#4d3408',
] // prettier-ignore
const gray: MantineColorsTuple = [
  '#f7f9f9', '#eff2f2', '#e3e8e8', '#d3dada', '#b8c2c2', '#96a3a3', '#6b7979', '#4d5959', '#343e3e', '#1e2525',
] // prettier-ignore
const dark: MantineColorsTuple = [
  '#dbe3e2', '#b9c4c3', '#98a6a4', '#6f7e7c', '#3d4a48', '#2c3735', '#212a29', '#182020', '#121918', '#0c1110',
] // prettier-ignore

const systemFont =
  "ui-sans-serif, -apple-system, BlinkMacSystemFont, 'Segoe UI Variable Text', 'Segoe UI', Roboto, Inter, Cantarell, 'Noto Sans', 'DejaVu Sans', sans-serif"

const theme = createTheme({
  colors: { pine, brass, gray, dark },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: systemFont,
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, 'DejaVu Sans Mono', monospace",
  headings: {
    fontWeight: '620',
    sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' }, h2: { fontSize: '1.0625rem', lineHeight: '1.4' } },
  },
  // Plain objects instead of Button.extend(): naming a component here would load it on every page.
  components: {
    // Otherwise the outline of a button that has the focus is cut off.
    Alert: { styles: { message: { overflow: 'visible' } } },
    Badge: { defaultProps: { tt: 'none', fw: 600 } },
    // On a phone a long label takes two lines instead of being cut off.
    Button: {
      defaultProps: { fw: 550, onKeyDown: ignoreHeldEnter },
      styles: {
        root: { height: 'auto', minHeight: 'var(--button-height)', paddingBlock: '0.25rem', alignContent: 'center' },
        label: { whiteSpace: 'normal' },
      },
    },
    // A value that can't be changed can still be read.
    Input: { styles: { wrapper: { '--input-disabled-color': 'var(--mantine-color-text)' } } },
    InputWrapper: {
      styles: {
        label: { fontSize: '0.875rem', fontWeight: 550, marginBottom: 4 },
        description: { fontSize: '0.8125rem' },
      },
    },
    Paper: { defaultProps: { radius: 'lg' } },
    // On a phone the tabs scroll horizontally: a second line of them would look like other tabs.
    Tabs: {
      styles: {
        list: {
          flexWrap: 'nowrap',
          overflowX: 'auto',
          overflowY: 'hidden',
          // Mantine's own line below them would scroll away with them.
          boxShadow: 'inset 0 calc(-1 * var(--tabs-list-border-width)) 0 var(--tab-border-color)',
        },
        tab: { flexShrink: 0 },
      },
    },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    Modal: {
      // The header of a dialog is not a banner of the page.
      defaultProps: { radius: 'lg', centered: true, padding: 'lg', attributes: { header: { role: 'none' } } },
      styles: { title: { fontSize: '1.125rem', fontWeight: 620, lineHeight: 1.35, textWrap: 'balance' } },
    },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Title: { defaultProps: { textWrap: 'balance' } },
  },
})

/** The theme in the colour that the installation has chosen. */
export const themeFor = (accentColor: string | null) =>
  accentColor === null ? theme : mergeThemeOverrides(theme, { colors: { pine: accentShades(accentColor) } })

/** Mantine's own dimmed, placeholder and error colours have less than the contrast of 4.5:1 that WCAG 2.2 AA requires. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#586565',
    '--mantine-color-placeholder': '#6b7979',
    '--mantine-color-error': '#b42332',
    '--latchkey-ground': '#f5f7f6',
    '--latchkey-line': '#e3e8e8',
    '--latchkey-tint': 'var(--mantine-color-pine-0)',
  },
  dark: {
    '--mantine-color-body': '#182020',
    '--mantine-color-dimmed': '#98a6a4',
    '--mantine-color-placeholder': '#8b9997',
    '--mantine-color-error': '#ff9a9f',
    '--latchkey-ground': '#0f1514',
    '--latchkey-line': '#2a3533',
    '--latchkey-tint': 'color-mix(in srgb, var(--mantine-color-pine-8) 30%, #182020)',
  },
})
