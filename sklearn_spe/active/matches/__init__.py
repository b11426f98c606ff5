"""Active testing of instance segmentation: detections and their matched objects."""
