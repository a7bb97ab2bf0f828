// Each kind of metric from its own file: prom-client's index reads what it measures of a process by default, too, and
// with that OpenTelemetry's API, 80 files at every start. Those are read when somebody asks for metrics
// (`src/platform/health`).
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';

export { Counter, Gauge, Histogram, Registry };
