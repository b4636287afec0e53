import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Deep petrol: the colour of everything that can be pressed. */
const petrol: MantineColorsTuple = [
  '#e6f2f3',
  '#cfe6e9',
  '#a5d3d9',
  '#7cc8d1',
  '#66c3cd',
  '#2f97a4',
  '#177684',
  '#0b5763',
  '#094852',
  '#073840',
]

/** Warm dark greys of the dark scheme, from text to the deepest background. */
const dark: MantineColorsTuple = [
  '#efece5',
  '#d6d8d2',
  '#b6bfbe',
  '#96a2a3',
  '#4c5a5d',
  '#2d383b',
  '#1d2528',
  '#151b1d',
  '#101517',
  '#0a0e10',
]

const systemFonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
const systemMono =
  'ui-monospace, "Cascadia Mono", "SF Mono", "DejaVu Sans Mono", "Liberation Mono", monospace'

/** Id of the element inside the main landmark in which lists and menus open. */
export const floatingId = 'floating'
const insideMain = { target: `#${floatingId}` }

/** Lists open inside the main landmark and fit the space above or below their field. */
const suggestions = {
  maxDropdownHeight: 'min(320px, 36dvh)',
  comboboxProps: { keepMounted: false, transitionProps: { duration: 0 }, portalProps: insideMain },
}

/**
 * Defaults of all controls: no text below 15 px, no control below 44 px height.
 * @param close accessible name of the button that closes a dialog
 */
export const createAppTheme = (close: string) =>
  createTheme({
    primaryColor: 'petrol',
    primaryShade: { light: 7, dark: 6 },
    colors: { petrol, dark },
    black: '#1b2426',
    fontFamily: systemFonts,
    fontFamilyMonospace: systemMono,
    fontSizes: { xs: '15px', sm: '16px', md: '16px', lg: '18px', xl: '22px' },
    defaultRadius: '6px',
    headings: { fontFamily: systemFonts, fontWeight: '650' },
    focusRing: 'auto',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Input: { vars: () => ({ wrapper: { '--input-height': '44px', '--input-fz': '16px' } }) },
      InputWrapper: {
        defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      },
      Button: {
        vars: (_theme: unknown, props: { size?: string }) =>
          props.size === 'xl'
            ? { root: { '--button-height': '60px', '--button-fz': '20px', '--button-padding-x': '28px' } }
            : { root: { '--button-height': '44px', '--button-fz': '16px', '--button-padding-x': '16px' } },
      },
      ActionIcon: { defaultProps: { size: 44, variant: 'subtle' } },
      // Scroll locking would add a style element, and the page as a whole never scrolls.
      Modal: {
        defaultProps: {
          lockScroll: false,
          centered: true,
          size: 620,
          transitionProps: { duration: 0 },
          closeButtonProps: { 'aria-label': close },
        },
      },
      Select: { defaultProps: suggestions },
      Autocomplete: { defaultProps: suggestions },
      Menu: { defaultProps: { transitionProps: { duration: 0 }, portalProps: insideMain } },
      Checkbox: { defaultProps: { size: 'md' } },
      Switch: { defaultProps: { size: 'md' } },
    },
  })

/** Replaces Mantine colours whose contrast is below WCAG AA on our backgrounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f4f1ea',
    '--mantine-color-text': '#1b2426',
    '--mantine-color-dimmed': '#4c5759',
    '--mantine-color-placeholder': '#666f70',
    '--mantine-color-error': '#9c1c14',
    '--mantine-color-default-border': '#8d8778',
    '--mantine-color-petrol-light': '#e6f2f3',
    '--mantine-color-petrol-light-hover': '#dcebed',
    '--mantine-color-petrol-light-color': '#0b5763',
  },
  dark: {
    '--mantine-color-body': '#151b1d',
    '--mantine-color-text': '#efece5',
    '--mantine-color-dimmed': '#b6bfbe',
    '--mantine-color-placeholder': '#96a2a3',
    '--mantine-color-error': '#ffa79c',
    '--mantine-color-default-border': '#76858a',
    // On a panel's background a disabled button would look like plain text.
    '--mantine-color-disabled': '#2d383b',
    '--mantine-color-disabled-color': '#b6bfbe',
    '--mantine-color-petrol-light': '#1b2d33',
    '--mantine-color-petrol-light-hover': '#21363d',
    '--mantine-color-petrol-light-color': '#7cc8d1',
  },
})
