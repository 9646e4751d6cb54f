# The app as one container: `docker compose up`, then http://127.0.0.1:8501.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    STREAMLIT_BROWSER_GATHER_USAGE_STATS=false \
    MLFLOW_DISABLE_TELEMETRY=true \
    DO_NOT_TRACK=true \
    OMP_NUM_THREADS=1 \
    OMP_WAIT_POLICY=PASSIVE \
    STAGECOACH_RUNS=/app/runs

WORKDIR /app
COPY requirements.txt .
RUN pip install -r requirements.txt

# Code belongs to root and cannot be changed by the app; only the runs folder is its own.
RUN useradd --create-home --uid 1000 coach && install -d -o coach -g coach /app/runs
COPY . .
USER coach
VOLUME /app/runs

EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=2)"]

# Inside the container all addresses; compose.yaml publishes it on the host's loopback only.
CMD ["streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.port", "8501"]
