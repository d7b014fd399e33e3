import './navigator-language.ts'
import uPlot from 'uplot'

export { uPlot }
